//! The loops that do the arithmetic.
//!
//! Every kernel is written once over [`simd::Simd`], and all implementations of that trait give the
//! same bits. This folder is the only place of the workspace with `unsafe` code.
#![allow(unsafe_code, reason = "vector instructions and disjoint parts of one output")]

mod adamw;
mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod elementwise;
mod exp;
mod few_rows;
mod matmul;
mod matrix;
mod pack;
mod peak;
mod portable;
mod prepacked;
mod reduce;
mod rms_norm;
mod scratch;
mod share;
mod simd;
mod softmax;
mod swiglu;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

pub use adamw::AdamWStep;
pub(crate) use attention::{AttentionBackward, AttentionForward, AttentionShape};
pub(crate) use elementwise::{AddInto, CopyInto, InPlace, MEMORY_COST};
pub(crate) use exp::{ExpConstants, ExpSlice};
pub(crate) use matmul::{MatMul, matmul, matmul_prepacked};
pub(crate) use matrix::{MatrixMut, MatrixView};
pub(crate) use peak::Peak;
pub(crate) use prepacked::{Pack, Prepacked};
pub(crate) use rms_norm::{RmsNormBackward, RmsNormForward, RmsNormGain};
pub(crate) use scratch::Scratch;
pub(crate) use share::{Shared, cut_at, share};
pub(crate) use simd::Kernel;
pub(crate) use softmax::SoftmaxRow;
pub(crate) use swiglu::{SwigluBackward, SwigluForward};
pub(crate) use tile::Start;

use simd::Simd;

/// Which implementation of the kernels to use, and when to share their work between threads.
///
/// All choices give the same bits. The default is the fastest implementation of this processor; the
/// environment variable `LLM_KERNELS`, read once, selects another by its name where the processor
/// has it. Threads are those of the current rayon pool (`RAYON_NUM_THREADS`).
///
/// ```
/// use llm_autograd::Kernels;
/// assert_eq!(Kernels::portable().name(), "portable");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels {
    path: Path,
    sharing_threshold: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Portable(portable::Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

/// Multiply-adds below which handing work to another thread costs more than it saves.
const SHARING_THRESHOLD: usize = 1 << 20;

impl Kernels {
    /// The fastest implementation here, unless the environment variable `LLM_KERNELS` names another.
    pub fn detect() -> Self {
        static CHOICE: OnceLock<Kernels> = OnceLock::new();
        *CHOICE.get_or_init(|| {
            let wanted = std::env::var("LLM_KERNELS").unwrap_or_default();
            let named = Self::available().into_iter().find(|kernels| kernels.name() == wanted);
            named.unwrap_or_else(Self::fastest)
        })
    }

    /// The implementation in plain Rust, for every processor.
    pub fn portable() -> Self {
        Self { path: Path::Portable(portable::Portable), sharing_threshold: SHARING_THRESHOLD }
    }

    /// The fastest implementation that this processor has, whatever the environment says.
    pub fn fastest() -> Self {
        Self::available().pop().unwrap_or_else(Self::portable)
    }

    /// Every implementation that this processor has, the slowest (the portable one) first.
    pub fn available() -> Vec<Self> {
        let paths = [
            Some(Path::Portable(portable::Portable)),
            #[cfg(target_arch = "x86_64")]
            avx2::Avx2::detect().map(Path::Avx2),
            #[cfg(target_arch = "x86_64")]
            avx512::Avx512::detect().map(Path::Avx512),
        ];
        let kernels = |path| Self { path, ..Self::portable() };
        paths.into_iter().flatten().map(kernels).collect()
    }

    /// Shares any work of at least `multiply_adds` between threads; 0 shares all.
    pub fn with_sharing_threshold(self, multiply_adds: usize) -> Self {
        Self { sharing_threshold: multiply_adds, ..self }
    }

    /// `"portable"`, `"avx2"` or `"avx512"`.
    pub fn name(self) -> &'static str {
        match self.path {
            Path::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(_) => "avx512",
        }
    }

    /// Runs `turns` turns of multiply-adds on registers alone, in one thread, and returns how many
    /// there were: with the time this takes, the most that a product could reach.
    ///
    /// ```
    /// use llm_autograd::Kernels;
    /// assert!(Kernels::detect().peak_multiply_adds::<f32>(10) >= 10);
    /// ```
    pub fn peak_multiply_adds<E: crate::Element>(self, turns: usize) -> usize {
        let (sum, count) = E::run_peak(self, Peak { turns, factor: E::HALF });
        std::hint::black_box(sum);
        count
    }

    /// The same sharing of work, with the implementation of `other`.
    pub(crate) fn with_implementation_of(self, other: Self) -> Self {
        Self { path: other.path, ..self }
    }

    /// Into how many parts to cut `work` multiply-adds.
    pub(crate) fn parts(self, work: usize) -> usize {
        if work < self.sharing_threshold { 1 } else { rayon::current_num_threads() }
    }

    /// Runs a computation of about so many multiply-adds on a thread of the current pool, if parts of
    /// it will be shared: products that are handed to the pool from outside, one by one, each wait for
    /// it to wake up. No bit depends on it.
    pub fn on_pool<R: Send>(
        self,
        multiply_adds: usize,
        computation: impl FnOnce() -> R + Send,
    ) -> R {
        // A computation has many products, of which the largest has about this part of the work.
        const LARGEST_PART: usize = 16;
        if self.parts(multiply_adds / LARGEST_PART) > 1 {
            rayon::scope(|_| computation())
        } else {
            computation()
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn run<E, K: Kernel<E>>(self, kernel: K) -> K::Output
    where
        E: Copy,
        portable::Portable: Simd<E>,
        avx2::Avx2: Simd<E>,
        avx512::Avx512: Simd<E>,
    {
        match self.path {
            Path::Portable(portable) => kernel.run(portable),
            Path::Avx2(avx2) => avx2.run(kernel),
            Path::Avx512(avx512) => avx512.run(kernel),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn run<E, K: Kernel<E>>(self, kernel: K) -> K::Output
    where
        E: Copy,
        portable::Portable: Simd<E>,
    {
        let Path::Portable(portable) = self.path;
        kernel.run(portable)
    }
}

impl Default for Kernels {
    fn default() -> Self {
        Self::detect()
    }
}

/// Every kernel, compiled here for both precisions.
///
/// Generic code is compiled in the crate that uses it, with that crate's optimisation level; these
/// methods are not generic, so the loops are compiled once, in this crate, and well.
#[expect(private_bounds, reason = "the constants of the exponential are nobody else's business")]
pub trait ElementKernels: ExpConstants + Copy {
    #[doc(hidden)]
    fn run_matmul(kernels: Kernels, kernel: MatMul<'_, Self>);
    #[doc(hidden)]
    fn run_pack(kernels: Kernels, kernel: Pack<'_, Self>);
    #[doc(hidden)]
    fn run_exp(kernels: Kernels, kernel: ExpSlice<'_, Self>);
    #[doc(hidden)]
    fn run_softmax_row(kernels: Kernels, kernel: SoftmaxRow<'_, Self>) -> (Self, Self);
    #[doc(hidden)]
    fn run_rms_norm_forward(kernels: Kernels, kernel: RmsNormForward<'_, Self>);
    #[doc(hidden)]
    fn run_rms_norm_backward(kernels: Kernels, kernel: RmsNormBackward<'_, Self>);
    #[doc(hidden)]
    fn run_rms_norm_gain(kernels: Kernels, kernel: RmsNormGain<'_, Self>);
    #[doc(hidden)]
    fn run_in_place(kernels: Kernels, kernel: InPlace<'_, Self>);
    #[doc(hidden)]
    fn run_add_into(kernels: Kernels, kernel: AddInto<'_, Self>);
    #[doc(hidden)]
    fn run_swiglu_forward(kernels: Kernels, kernel: SwigluForward<'_, Self>);
    #[doc(hidden)]
    fn run_swiglu_backward(kernels: Kernels, kernel: SwigluBackward<'_, Self>);
    #[doc(hidden)]
    fn run_attention_forward(kernels: Kernels, kernel: AttentionForward<'_, Self>);
    #[doc(hidden)]
    fn run_attention_backward(kernels: Kernels, kernel: AttentionBackward<'_, Self>);
    #[doc(hidden)]
    fn run_adamw(kernels: Kernels, kernel: AdamWStep<'_, Self>);
    #[doc(hidden)]
    fn run_peak(kernels: Kernels, kernel: Peak<Self>) -> (Self, usize);
}

macro_rules! compile_kernels {
    ($($float:ty),+; $($method:ident ( $kernel:ty ) $(-> $output:ty)?;)+) => {
        compile_kernels!(@each [$($float),+] { $($method($kernel) $(-> $output)?;)+ });
    };
    (@each [$($float:ty),+] $methods:tt) => {$( compile_kernels!(@one $float $methods); )+};
    (@one $float:ty { $($method:ident ( $kernel:ty ) $(-> $output:ty)?;)+ }) => {
        impl ElementKernels for $float {$(
            fn $method(kernels: Kernels, kernel: $kernel) $(-> $output)? {
                kernels.run::<$float, _>(kernel)
            }
        )+}
    };
}

compile_kernels! {
    f32, f64;
    run_matmul(MatMul<'_, Self>);
    run_pack(Pack<'_, Self>);
    run_exp(ExpSlice<'_, Self>);
    run_softmax_row(SoftmaxRow<'_, Self>) -> (Self, Self);
    run_rms_norm_forward(RmsNormForward<'_, Self>);
    run_rms_norm_backward(RmsNormBackward<'_, Self>);
    run_rms_norm_gain(RmsNormGain<'_, Self>);
    run_in_place(InPlace<'_, Self>);
    run_add_into(AddInto<'_, Self>);
    run_swiglu_forward(SwigluForward<'_, Self>);
    run_swiglu_backward(SwigluBackward<'_, Self>);
    run_attention_forward(AttentionForward<'_, Self>);
    run_attention_backward(AttentionBackward<'_, Self>);
    run_adamw(AdamWStep<'_, Self>);
    run_peak(Peak<Self>) -> (Self, usize);
}

#[cfg(test)]
mod tests;
