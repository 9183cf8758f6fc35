use llm_tokenizer::*;
struct Instant(f64);
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
impl Instant {
    fn now() -> Self {
        Instant(cpu())
    }
    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(cpu() - self.0)
    }
}

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let merges: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let whole = std::env::args().nth(3).is_some();
    let text = std::fs::read(path).unwrap();
    let docs: Vec<&[u8]> = if whole {
        vec![&text]
    } else {
        let mut v = vec![];
        let mut start = 0;
        let mut i = 0;
        while i + 1 < text.len() {
            if &text[i..i + 2] == b"\n\n" {
                v.push(&text[start..i + 2]);
                start = i + 2;
                i += 2;
            } else {
                i += 1;
            }
        }
        v.push(&text[start..]);
        v
    };
    let wd: Vec<_> = docs.iter().map(|d| WeightedDocument::once(d)).collect();
    let t = Instant::now();
    let config = TrainingConfig { merges, minimum_count: 2, pretokenizer: Pretokenizer::None };
    let learned = train(&wd, &config).unwrap();
    println!("{} docs, train {} merges {:?}", docs.len(), learned.len(), t.elapsed());
    let t = Instant::now();
    let tok = Tokenizer::from_artifact(TokenizerArtifact::trained(
        learned.iter().map(|l| l.merge).collect(),
        Pretokenizer::None,
    ))
    .unwrap();
    if std::env::var("REP").is_ok() {
        for _ in 0..10 {
            for d in &docs {
                std::hint::black_box(tok.encode(d).unwrap());
            }
        }
    }
    println!("build {:?} {}", t.elapsed(), tok.sha256());
    let t = Instant::now();
    let mut n = 0;
    let mut h = 0u64;
    for d in &docs {
        let ids = tok.encode(d).unwrap();
        n += ids.len();
        for i in &ids {
            h = h.wrapping_mul(31).wrapping_add(*i as u64);
        }
    }
    let e = t.elapsed();
    println!(
        "encode {n} tokens {e:?} {:.1} MB/s hash {h:x}",
        text.len() as f64 / 1e6 / e.as_secs_f64()
    );
    let t = Instant::now();
    let mut ok = true;
    for d in &docs {
        let ids = tok.encode(d).unwrap();
        ok &= tok.decode(&ids).unwrap() == *d;
    }
    println!("encode+decode {:?} {ok}", t.elapsed());
    println!(
        "{}",
        std::fs::read_to_string("/proc/self/status")
            .unwrap()
            .lines()
            .filter(|l| l.starts_with("VmHWM"))
            .next()
            .unwrap()
    );
}
