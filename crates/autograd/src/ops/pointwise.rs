//! What functions of one element at a time share: `y = f(x)`, `dx = dy f'(x)`.

use crate::{AutogradContext, Buffer, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// Records `y`, which was computed from `x` element by element; `slope(x, y)` is f' there.
    #[track_caller]
    pub(super) fn pointwise(
        &self,
        operation: &'static str,
        x: &TensorValue<E>,
        y: Buffer<E>,
        slope: fn(E, E) -> E,
    ) -> TensorValue<E> {
        let y = x.tensor().same_shape(y);
        let (saved_x, saved_y) = (x.clone(), y.clone());
        self.record(operation, &[x], y, move |mut gradient, flow| {
            let values = saved_x.data().iter().zip(saved_y.data());
            gradient.iter_mut().zip(values).for_each(|(g, (&x, &y))| *g = *g * slope(x, y));
            flow.add(saved_x.place(), gradient);
        })
    }

    /// `f` of every element, computed in f64 and rounded to the element type.
    pub(super) fn map(&self, x: &TensorValue<E>, f: fn(f64) -> f64) -> Buffer<E> {
        let mut y = self.copy(x.data());
        y.iter_mut().for_each(|y| *y = E::from_f64(f(y.to_f64())));
        y
    }
}
