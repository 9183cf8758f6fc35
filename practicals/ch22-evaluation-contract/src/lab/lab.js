'use strict';
const at = (id) => document.getElementById(id);
const MASK = (1n << 64n) - 1n;
const SHOWN = 12;
let n, p, state, assigned, minority, row, finished, bars, timer = null;

// SplitMix64, as in the program: the top 53 bits of each number, over 2^53.
function unit() {
  state = (state + 0x9e3779b97f4a7c15n) & MASK;
  let mixed = state;
  mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return Number((mixed ^ (mixed >> 31n)) >> 11n) / 9007199254740992;
}

// C(n, k) p^k (1-p)^(n-k), growing and shrinking factors in turn, so that nothing overflows.
function probability(k) {
  const few = Math.min(k, n - k);
  const rare = k <= n - k ? p : 1 - p;
  const usual = 1 - rare;
  let value = 1;
  let left = n - few;
  for (let i = 1; i <= few; i++) {
    value *= ((n - few + i) / i) * rare;
    while (value > 1 && left > 0) { value *= usual; left--; }
  }
  return value * Math.pow(usual, left);
}

function stop() {
  if (timer !== null) { clearInterval(timer); timer = null; }
  at('play').textContent = 'Play';
}

function step() {
  if (assigned === n) return;
  const hit = unit() < p;
  assigned++;
  minority += hit ? 1 : 0;
  row += hit ? 'x' : '.';
  if (assigned === n) finished.push(minority);
}

function reset() { stop(); assigned = 0; minority = 0; row = ''; draw(); }

function play() {
  if (timer !== null) { stop(); return; }
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    while (assigned < n) step();
    draw();
    return;
  }
  at('play').textContent = 'Pause';
  timer = setInterval(() => {
    for (let i = 0; i < Math.ceil(n / 60); i++) step();
    if (assigned === n) stop();
    draw();
  }, 60);
}

function draw() {
  const done = assigned === n;
  // A button that is switched off loses the keyboard's focus: it goes on to what comes next.
  const focused = document.activeElement;
  if (done && (focused === at('step') || focused === at('play'))) at('reset').focus();
  at('step').disabled = done;
  at('play').disabled = done;
  const end = done ? ' All are assigned.' : '';
  at('state').textContent = `${assigned} of ${n} assigned, ${minority} to the smaller domain.${end}`;
  at('row').textContent = row;
  for (const bar of at('bars').querySelectorAll('rect')) {
    bar.classList.toggle('now', Number(bar.dataset.count) === minority);
  }
  const share = bars[minority].toFixed(6);
  at('numbers').textContent = `Expected ${(n * p).toFixed(3)}, standard deviation ` +
    `${Math.sqrt(n * p * (1 - p)).toFixed(3)}. A count of ${minority} has probability ${share}.`;
  const last = finished.slice(-SHOWN).join(', ');
  at('finished').textContent = finished.length === 0 ? 'No experiment is finished.'
    : `Finished experiments: ${finished.length}; the last counts: ${last}.`;
}

function start(assignments, share, seed) {
  stop();
  n = assignments; p = share; state = seed & MASK; finished = [];
  bars = Array.from({ length: n + 1 }, (_, k) => probability(k));
  const highest = Math.max(...bars);
  const width = 1000 / (n + 1);
  const shape = (name, values) => {
    const element = document.createElementNS(at('bars').namespaceURI, name);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    return element;
  };
  const shapes = bars.map((bar, k) => {
    const height = 100 * bar / highest;
    const rect = shape('rect', { x: k * width + width * 0.1, y: 100 - height, width: width * 0.8, height });
    rect.dataset.count = k;
    return rect;
  });
  const middle = (n * p + 0.5) * width;
  shapes.push(shape('line', { x1: middle, x2: middle, y1: 0, y2: 100, 'vector-effect': 'non-scaling-stroke' }));
  at('bars').replaceChildren(...shapes);
  at('last').textContent = String(n);
  reset();
}

at('step').addEventListener('click', () => { stop(); step(); draw(); });
at('play').addEventListener('click', play);
at('reset').addEventListener('click', reset);
at('settings-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const [count, share, seed] = [at('n'), at('p'), at('seed')].map((input) => input.value.trim());
  const valid = /^[0-9]+$/.test(count) && Number(count) >= 1 && Number(count) <= 1000 &&
    share !== '' && Number(share) >= 0 && Number(share) <= 1 && /^[0-9]+$/.test(seed);
  at('problem').textContent = valid ? '' : 'n is a whole number from 1 to 1000, p a number from 0 to 1, the seed a whole number.';
  if (valid) start(Number(count), Number(share), BigInt(seed));
});

const [assignments, share, seed] = JSON.parse(at('settings').textContent);
at('n').value = assignments; at('p').value = share; at('seed').value = seed;
start(assignments, share, BigInt(seed));
