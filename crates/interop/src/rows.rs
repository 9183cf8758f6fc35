//! Parameters of ours as the rows of somebody else's matrix.

use llm_autograd::{Element, Tensor};

use crate::names::Layout;

/// Shape of a parameter elsewhere: `[outputs, inputs]` for a matrix.
pub(crate) fn shape(value_shape: &[usize], layout: Layout) -> Vec<usize> {
    match layout {
        Layout::Same => value_shape.to_vec(),
        Layout::Transposed | Layout::Rotary => value_shape.iter().rev().copied().collect(),
    }
}

/// Hands out the rows of a parameter in somebody else's order. A vector is one row if it lies as here,
/// otherwise a column, one element a row.
///
/// `ours` says which feature of ours stands in a row of queries or keys; see [`Layout::Rotary`].
///
/// # Errors
/// The first error of `visit`.
pub(crate) fn for_each_row<E: Element, Error>(
    value: &Tensor<E>,
    layout: Layout,
    ours: impl Fn(usize) -> usize,
    mut visit: impl FnMut(&[E]) -> Result<(), Error>,
) -> Result<(), Error> {
    let data = value.data();
    let (inputs, outputs) = match *value.shape() {
        [inputs, outputs] => (inputs, outputs),
        _ => (1, data.len()),
    };
    if layout == Layout::Same {
        return data.chunks(outputs).try_for_each(visit);
    }
    let mut row = vec![E::ZERO; inputs];
    for output in 0..outputs {
        let column = if layout == Layout::Rotary { ours(output) } else { output };
        for (input, place) in row.iter_mut().enumerate() {
            *place = data[input * outputs + column];
        }
        visit(&row)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(value: &Tensor<f32>, layout: Layout) -> Vec<Vec<f32>> {
        let mut rows = Vec::new();
        let reversed = |row| value.shape().last().unwrap() - 1 - row;
        for_each_row(value, layout, reversed, |row| -> Result<(), ()> {
            rows.push(row.to_vec());
            Ok(())
        })
        .unwrap();
        rows
    }

    #[test]
    fn a_row_of_theirs_is_a_column_of_ours_where_axes_are_exchanged() {
        let value = Tensor::new(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(rows(&value, Layout::Same), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(rows(&value, Layout::Transposed), [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
        assert_eq!(rows(&value, Layout::Rotary), [[3.0, 6.0], [2.0, 5.0], [1.0, 4.0]]);
        let gain = Tensor::new(&[2], vec![1.0, 2.0]);
        assert_eq!(rows(&gain, Layout::Same), [[1.0, 2.0]]);
        assert_eq!(rows(&gain, Layout::Rotary), [[2.0], [1.0]]);
    }
}
