//! Every operation against central differences, in one table.
//!
//! An operation that has a backward pass and no line here fails a test, which looks at the folder
//! `ops` for files.

use crate::{
    AttentionHeads, AutogradContext, Element, GradientCheck, RopeTable, Tensor, TensorValue,
    gradient_check,
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

/// An operation, its inputs, and how it is called.
struct Case<E> {
    operation: &'static str,
    inputs: Vec<Tensor<f64>>,
    apply: fn(&AutogradContext<E>, &[TensorValue<E>]) -> TensorValue<E>,
}

/// Checks every operation on a small input, in f64 and with steps of 1e-5. What is differentiated is
/// the sum of the squares of the operation's result, so that all its elements matter differently.
///
/// ```
/// let checks = llm_autograd::check_operations();
/// assert!(checks.iter().any(|check| check.operation == "matmul"));
/// assert!(checks.iter().all(|check| check.check.largest_error < 1e-8));
/// ```
pub fn check_operations() -> Vec<OperationCheck> {
    let check = |case: Case<f64>| OperationCheck {
        operation: case.operation,
        shapes: case.inputs.iter().map(|input| input.shape().to_vec()).collect(),
        check: gradient_check(&case.inputs, 1e-5, |context, x| case.sum_of_squares(context, x)),
    };
    cases().into_iter().map(check).collect()
}

impl<E: Element> Case<E> {
    fn sum_of_squares(
        &self,
        context: &AutogradContext<E>,
        inputs: &[TensorValue<E>],
    ) -> TensorValue<E> {
        let y = (self.apply)(context, inputs);
        context.sum(&context.mul(&y, &y))
    }
}

fn cases<E: Element>() -> Vec<Case<E>> {
    let x = || wavy(&[3, 4], 0.1);
    let row = || wavy(&[4], 0.7);
    let column = || positive(&[3, 1]);
    let case = |operation, inputs, apply| Case { operation, inputs, apply };
    vec![
        case("add", vec![x(), row()], |c, x| c.add(&x[0], &x[1])),
        case("sub", vec![row(), x()], |c, x| c.sub(&x[0], &x[1])),
        case("mul", vec![x(), wavy(&[3, 1], 0.7)], |c, x| c.mul(&x[0], &x[1])),
        case("div", vec![row(), column()], |c, x| c.div(&x[0], &x[1])),
        case("scale", vec![x()], |c, x| c.scale(&x[0], E::from_f64(-2.5))),
        case("exp", vec![x()], |c, x| c.exp(&x[0])),
        case("log", vec![positive(&[3, 4])], |c, x| c.log(&x[0])),
        case("sqrt", vec![positive(&[3, 4])], |c, x| c.sqrt(&x[0])),
        case("tanh", vec![x()], |c, x| c.tanh(&x[0])),
        case("broadcast", vec![column()], |c, x| c.broadcast_to(&x[0], &[2, 3, 4])),
        case("sum", vec![x()], |c, x| c.sum(&x[0])),
        case("sum_axis", vec![wavy(&[2, 3, 2], 0.1)], |c, x| c.sum_axis(&x[0], 1)),
        case("mean_axis", vec![x()], |c, x| c.mean_axis(&x[0], 0)),
        case("reshape", vec![x()], |c, x| c.reshape(&x[0], &[2, 6])),
        case("transpose", vec![wavy(&[2, 3, 2], 0.1)], |c, x| c.transpose(&x[0], 0, 2)),
        case("matmul", vec![x(), wavy(&[4, 5], 0.7)], |c, x| c.matmul(&x[0], &x[1])),
        case("matmul_transposed", vec![x(), wavy(&[5, 4], 0.7)], |c, x| {
            c.matmul_transposed(&x[0], &x[1])
        }),
        case("add_row", vec![x(), row()], |c, x| c.add_row(&x[0], &x[1])),
        case("embedding", vec![x()], |c, x| c.embedding(&x[0], &[2, 0, 2, 2])),
        case("select_rows", vec![x()], |c, x| c.select_rows(&x[0], &[0, 2])),
        case("rms_norm", vec![x(), row()], |c, x| c.rms_norm(&x[0], &x[1], E::from_f64(1e-2))),
        case("rope", vec![x()], |c, x| c.rope(&x[0], &RopeTable::new(4, 100.0, 6), &[0, 5, 1])),
        case(
            "attention",
            vec![wavy(&[5, 8], 0.1), wavy(&[5, 4], 0.7), wavy(&[5, 4], 1.3)],
            |c, x| {
                let heads = AttentionHeads { n_heads: 4, n_kv_heads: 2, head_dim: 2 };
                c.attention(&x[0], &x[1], &x[2], heads, &[0..3, 3..5])
            },
        ),
        case("swiglu", vec![x(), wavy(&[3, 4], 0.7)], |c, x| c.swiglu(&x[0], &x[1])),
        case("cross_entropy", vec![x()], |c, x| c.cross_entropy(&x[0], &[3, 0, 1]).sum),
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

    use super::{Case, cases, check_operations};
    use crate::{AutogradContext, Element, Kernels, Tensor};

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
        let table: BTreeSet<String> =
            cases::<f64>().into_iter().map(|case| case.operation.to_owned()).collect();
        let missing: Vec<_> = stems.difference(&table).collect();
        assert!(missing.iter().all(|stem| others.contains(&stem.as_str())), "{missing:?}");
    }

    #[test]
    fn every_line_of_the_table_records_the_operation_that_it_names() {
        for case in cases::<f64>() {
            let context = AutogradContext::recording();
            let variables: Vec<_> = case.inputs.iter().map(|x| context.variable(x)).collect();
            (case.apply)(&context, &variables);
            assert_eq!(context.nodes().last().unwrap().operation, case.operation);
        }
    }

    /// The scalar and all gradients of a case.
    fn compute<E: Element>(case: &Case<E>, kernels: Kernels) -> Vec<Tensor<E>> {
        let context = AutogradContext::recording_with(kernels);
        let rounded = case.inputs.iter().map(|input| {
            let data = input.data().iter().map(|&x| E::from_f64(x)).collect();
            Tensor::new(input.shape(), data)
        });
        let variables: Vec<_> = rounded.map(|x| context.variable(&x)).collect();
        let y = case.sum_of_squares(&context, &variables);
        let gradients = context.backward(&y).unwrap();
        let gradients = variables.iter().map(|variable| gradients.of(variable).unwrap());
        std::iter::once(y.tensor().clone()).chain(gradients).collect()
    }

    fn same_bits_on_every_path<E: Element>() {
        for case in cases::<E>() {
            let expected = compute(&case, Kernels::portable());
            let alone = Kernels::available();
            let shared = alone.iter().map(|kernels| kernels.with_sharing_threshold(0));
            for kernels in alone.iter().copied().chain(shared) {
                for (tensor, expected) in compute(&case, kernels).iter().zip(&expected) {
                    assert_eq!(tensor.bits(), expected.bits(), "{} {kernels:?}", case.operation);
                }
            }
        }
    }

    #[test]
    fn every_operation_and_its_gradient_have_the_same_bits_on_every_kernel_path() {
        same_bits_on_every_path::<f32>();
        same_bits_on_every_path::<f64>();
    }

    #[test]
    fn single_precision_has_the_gradients_of_double_precision_up_to_rounding() {
        for (single, double) in cases::<f32>().iter().zip(&cases::<f64>()) {
            let [single_results, double_results] = [
                compute(single, Kernels::portable()).iter().map(promoted).collect::<Vec<_>>(),
                compute(double, Kernels::portable()).iter().map(promoted).collect(),
            ];
            for (single, double) in
                single_results.iter().flatten().zip(double_results.iter().flatten())
            {
                let scale = double.abs().max(1.0);
                assert!((single - double).abs() < 2e-5 * scale, "{single} {double}");
            }
        }
    }

    fn promoted<E: Element>(tensor: &Tensor<E>) -> Vec<f64> {
        tensor.data().iter().map(|x| x.to_f64()).collect()
    }
}
