//! The two element types of a tensor.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::kernels::ElementKernels;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`. Sealed: the kernels are compiled for these two.
pub trait Element:
    sealed::Sealed
    + ElementKernels
    + Copy
    + Debug
    + Display
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// +0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// 1/2.
    const HALF: Self;
    /// Minus infinity.
    const NEGATIVE_INFINITY: Self;
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;

    /// The nearest value of this type.
    fn from_f64(x: f64) -> Self;
    /// The same value in f64.
    fn to_f64(self) -> f64;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The bit pattern, zero-extended: what "the same bits" compares.
    fn bits(self) -> u64;
}

macro_rules! element {
    ($float:ident) => {
        impl Element for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const HALF: Self = 0.5;
            const NEGATIVE_INFINITY: Self = $float::NEG_INFINITY;
            const NAME: &'static str = stringify!($float);

            fn from_f64(x: f64) -> Self {
                x as $float
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn is_finite(self) -> bool {
                self.is_finite()
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    };
}

element!(f32);
element!(f64);
