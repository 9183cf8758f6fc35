//! Every operation against central differences, in one table.
//!
//! An operation that has a backward pass and no line here fails a test, which looks at the folder
//! `ops` for files.

use crate::{
    AttentionHeads, AutogradContext, GradientCheck, RopeTable, Tensor, TensorValue, gradient_check,
};

/// What comparing one operation's gradient with difference quotients gave.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationCheck {
    /// Name of the operation, as on the tape.
    pub operation: &'static str,
    /// Shapes of its inputs.
    pub shapes: Vec<Vec<usize>>,
    /// The worst element.
    pub check: GradientCheck,
}

type Context = AutogradContext<f64>;
type Value = TensorValue<f64>;

/// An operation, its inputs, and how it is called.
type Case = (&'static str, Vec<Tensor<f64>>, fn(&Context, &[Value]) -> Value);

/// Checks every operation on a small input, in f64 and with steps of 1e-5. What is differentiated is
/// the sum of the squares of the operation's result, so that all its elements matter differently.
///
/// ```
/// let checks = llm_autograd::check_operations();
/// assert!(checks.iter().any(|check| check.operation == "matmul"));
/// assert!(checks.iter().all(|check| check.check.largest_error < 1e-8));
/// ```
pub fn check_operations() -> Vec<OperationCheck> {
    let check = |(operation, inputs, apply): Case| OperationCheck {
        operation,
        shapes: inputs.iter().map(|input| input.shape().to_vec()).collect(),
        check: gradient_check(&inputs, 1e-5, |context, x| {
            let y = apply(context, x);
            context.sum(&context.mul(&y, &y))
        }),
    };
    cases().into_iter().map(check).collect()
}

fn cases() -> Vec<Case> {
    let x = || wavy(&[3, 4], 0.1);
    let row = || wavy(&[4], 0.7);
    let column = || positive(&[3, 1]);
    vec![
        ("add", vec![x(), row()], |c, x| c.add(&x[0], &x[1])),
        ("sub", vec![row(), x()], |c, x| c.sub(&x[0], &x[1])),
        ("mul", vec![x(), wavy(&[3, 1], 0.7)], |c, x| c.mul(&x[0], &x[1])),
        ("div", vec![row(), column()], |c, x| c.div(&x[0], &x[1])),
        ("scale", vec![x()], |c, x| c.scale(&x[0], -2.5)),
        ("exp", vec![x()], |c, x| c.exp(&x[0])),
        ("log", vec![positive(&[3, 4])], |c, x| c.log(&x[0])),
        ("sqrt", vec![positive(&[3, 4])], |c, x| c.sqrt(&x[0])),
        ("tanh", vec![x()], |c, x| c.tanh(&x[0])),
        ("broadcast", vec![column()], |c, x| c.broadcast_to(&x[0], &[2, 3, 4])),
        ("sum", vec![x()], |c, x| c.sum(&x[0])),
        ("sum_axis", vec![wavy(&[2, 3, 2], 0.1)], |c, x| c.sum_axis(&x[0], 1)),
        ("mean_axis", vec![x()], |c, x| c.mean_axis(&x[0], 0)),
        ("reshape", vec![x()], |c, x| c.reshape(&x[0], &[2, 6])),
        ("transpose", vec![wavy(&[2, 3, 2], 0.1)], |c, x| c.transpose(&x[0], 0, 2)),
        ("matmul", vec![x(), wavy(&[4, 5], 0.7)], |c, x| c.matmul(&x[0], &x[1])),
        ("matmul_transposed", vec![x(), wavy(&[5, 4], 0.7)], |c, x| {
            c.matmul_transposed(&x[0], &x[1])
        }),
        ("add_row", vec![x(), row()], |c, x| c.add_row(&x[0], &x[1])),
        ("embedding", vec![x()], |c, x| c.embedding(&x[0], &[2, 0, 2, 2])),
        ("select_rows", vec![x()], |c, x| c.select_rows(&x[0], &[0, 2])),
        ("rms_norm", vec![x(), row()], |c, x| c.rms_norm(&x[0], &x[1], 1e-2)),
        ("rope", vec![x()], |c, x| c.rope(&x[0], &RopeTable::new(4, 100.0, 6), &[0, 5, 1])),
        ("attention", vec![wavy(&[5, 8], 0.1), wavy(&[5, 4], 0.7), wavy(&[5, 4], 1.3)], |c, x| {
            let heads = AttentionHeads { n_heads: 4, n_kv_heads: 2, head_dim: 2 };
            c.attention(&x[0], &x[1], &x[2], heads, &[0..3, 3..5])
        }),
        ("swiglu", vec![x(), wavy(&[3, 4], 0.7)], |c, x| c.swiglu(&x[0], &x[1])),
        ("cross_entropy", vec![x()], |c, x| c.cross_entropy(&x[0], &[3, 0, 1]).sum),
    ]
}

/// Numbers between -1 and 1 that look irregular and are the same in every run.
pub(crate) fn wavy(shape: &[usize], phase: f64) -> Tensor<f64> {
    let wave = |i: usize| libm::sin(phase + 1.7 * i as f64 + 0.3 * (i * i) as f64);
    Tensor::new(shape, (0..shape.iter().product()).map(wave).collect())
}

/// Numbers between 0.5 and 2.5.
fn positive(shape: &[usize]) -> Tensor<f64> {
    let mut tensor = wavy(shape, 0.4);
    tensor.data_mut().iter_mut().for_each(|x| *x += 1.5);
    tensor
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{cases, check_operations};
    use crate::AutogradContext;

    #[test]
    fn every_gradient_agrees_with_central_differences_in_every_element() {
        for check in check_operations() {
            assert!(check.check.largest_error < 1e-8, "{check:?}");
            let elements: usize = check.shapes.iter().map(|s| s.iter().product::<usize>()).sum();
            assert_eq!(check.check.compared, elements, "{check:?}");
        }
    }

    #[test]
    fn every_operation_of_the_folder_is_in_the_table() {
        // No backward pass of their own: attention to a cache, and what others are made of.
        let others = ["mod", "cached_attention", "pointwise"];
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|e| e == "rs"));
        let stems: BTreeSet<String> =
            files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        let table: BTreeSet<String> = cases().iter().map(|(name, ..)| (*name).to_owned()).collect();
        let missing: Vec<_> = stems.difference(&table).collect();
        assert!(missing.iter().all(|stem| others.contains(&stem.as_str())), "{missing:?}");
    }

    #[test]
    fn every_line_of_the_table_records_the_operation_that_it_names() {
        for (name, inputs, apply) in cases() {
            let context = AutogradContext::recording();
            let variables: Vec<_> = inputs.iter().map(|x| context.variable(x)).collect();
            apply(&context, &variables);
            assert_eq!(context.nodes().last().unwrap().operation, name);
        }
    }
}
