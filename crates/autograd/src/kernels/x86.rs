//! What the vector instructions of x86-64 have in common, whatever their width.

/// Defines a proof that the processor has some features, and runs kernels compiled for them.
macro_rules! x86_features {
    ($(#[$doc:meta])* $simd:ident, $features:literal, $($feature:tt),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $simd(());

        impl $simd {
            /// Asks the processor.
            pub(crate) fn detect() -> Option<Self> {
                ($(is_x86_feature_detected!($feature))&&+).then_some(Self(()))
            }

            /// Runs a kernel compiled for these features.
            #[inline(always)]
            pub(crate) fn run<E: Copy, K: Kernel<E>>(self, kernel: K) -> K::Output
            where
                Self: Simd<E>,
            {
                #[target_feature(enable = $features)]
                #[inline(never)]
                fn run_with_features<E: Copy, K: Kernel<E>>(simd: $simd, kernel: K) -> K::Output
                where
                    $simd: Simd<E>,
                {
                    kernel.run(simd)
                }
                // SAFETY: `self` proves that the processor has the features.
                unsafe { run_with_features(self, kernel) }
            }
        }
    };
}

/// Implements [`Simd`](super::simd::Simd) with one instruction for each method. `turn` exchanges rows
/// and columns of a square of vectors; `mask` is what selects the first `len` lanes; `pow2` names the
/// instructions for [`Portable`]'s way to 2 to the power n, with its constant.
///
/// [`Portable`]: super::portable::Portable
macro_rules! x86_vectors {
    (
        $simd:ident, $float:ty, $vector:ty, $lanes:literal;
        lane_wise { $($method:ident ( $($operand:ident),+ ) = $instruction:ident;)+ }
        splat = $splat:ident; load = $load:ident; store = $store:ident; turn = $turn:ident;
        mask($len:ident) = $mask:expr;
        load_masked($from:ident, $loaded:ident) = $load_masked:expr;
        store_masked($to:ident, $stored:ident, $x:ident) = $store_masked:expr;
        pow2 = $to_bits:ident, $shift:expr, $from_bits:ident, $magic:expr;
    ) => {
        impl Simd<$float> for $simd {
            type Vector = $vector;
            const LANES: usize = $lanes;

            $(
                #[inline(always)]
                fn $method(self, $($operand: $vector),+) -> $vector {
                    // SAFETY: `self` proves that the processor has the instruction; values only.
                    unsafe { $instruction($($operand),+) }
                }
            )+
            #[inline(always)]
            fn call<K: Kernel<$float>>(self, part: K) -> K::Output {
                self.run(part)
            }
            #[inline(always)]
            fn splat(self, x: $float) -> $vector {
                // SAFETY: `self` proves that the processor has the instruction; values only.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn load(self, from: &[$float]) -> $vector {
                let from = &from[..$lanes];
                // SAFETY: `from` has as many elements as a vector, and the load needs no alignment.
                unsafe { $load(from.as_ptr()) }
            }
            #[inline(always)]
            fn store(self, x: $vector, to: &mut [$float]) {
                let to = &mut to[..$lanes];
                // SAFETY: `to` has as many elements as a vector, and the store needs no alignment.
                unsafe { $store(to.as_mut_ptr(), x) }
            }
            #[inline(always)]
            fn load_partial(self, from: &[$float]) -> $vector {
                if from.len() == $lanes {
                    return self.load(from);
                }
                let ($len, $from) = (from.len(), from.as_ptr());
                assert!($len <= $lanes, "more elements than lanes");
                // SAFETY: `self` proves that the processor has the instructions; the mask leaves the
                // elements of `from`, and what it leaves out is not touched.
                unsafe {
                    let $loaded = $mask;
                    $load_masked
                }
            }
            #[inline(always)]
            fn store_partial(self, $x: $vector, to: &mut [$float]) {
                if to.len() == $lanes {
                    return self.store($x, to);
                }
                let ($len, $to) = (to.len(), to.as_mut_ptr());
                assert!($len <= $lanes, "more elements than lanes");
                // SAFETY: as for `load_partial`.
                unsafe {
                    let $stored = $mask;
                    $store_masked
                }
            }
            #[inline(always)]
            fn prefetch(self, from: &[$float], ahead: usize) {
                let place = from.as_ptr().wrapping_add(ahead);
                // SAFETY: a prefetch is a hint and reads nothing.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
            }
            #[inline(always)]
            fn copy_transposed(
                self,
                from: &[$float],
                from_stride: usize,
                to: &mut [$float],
                to_stride: usize,
            ) {
                // No closure and no iterator adaptor: vectors must stay inside this function.
                let mut rows: [$vector; $lanes] = [self.load(from); $lanes];
                for (r, row) in rows.iter_mut().enumerate() {
                    *row = self.load(&from[r * from_stride..]);
                }
                for (c, column) in $turn(self, rows).into_iter().enumerate() {
                    self.store(column, &mut to[c * to_stride..]);
                }
            }
            #[inline(always)]
            fn pow2(self, n: $vector) -> $vector {
                let magic: $float = $magic;
                let low_bits = Simd::<$float>::add(self, n, self.splat(magic));
                // SAFETY: `self` proves that the processor has the instructions; values only.
                unsafe { $from_bits($shift($to_bits(low_bits))) }
            }
        }
    };
}

pub(crate) use {x86_features, x86_vectors};
