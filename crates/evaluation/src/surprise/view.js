'use strict';
(() => {
  const tokens = Array.from(document.querySelectorAll('.t'));
  const byId = (id) => document.getElementById(id);
  const detail = byId('detail');
  const limit = byId('limit');
  let current = -1; // before the first token, so that the first jump can find it

  const choose = (index) => tokens[index]?.focus();

  // However the focus came here: by Tab, by a click or by a jump.
  const focused = (index) => {
    tokens[Math.max(current, 0)].tabIndex = -1;
    current = index;
    const token = tokens[current];
    token.tabIndex = 0;
    detail.textContent = `${current + 1} of ${tokens.length}: ${token.textContent} (${token.title})`;
  };

  const jump = (step) => {
    const least = Number(limit.value);
    for (let index = current + step; index >= 0 && index < tokens.length; index += step) {
      if (Number(tokens[index].dataset.b) >= least) return choose(index);
    }
    const where = step > 0 ? 'after' : 'before';
    detail.textContent = `No token of at least ${limit.value} bits ${where} this one.`;
  };

  const anywhere = { n: () => jump(1), p: () => jump(-1) };
  const onTokens = {
    ArrowRight: () => choose(current + 1),
    ArrowLeft: () => choose(current - 1),
    Home: () => choose(0),
    End: () => choose(tokens.length - 1),
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target === limit) return;
    const keys = event.target.matches('.t') ? { ...anywhere, ...onTokens } : anywhere;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  tokens.forEach((token, index) => {
    token.addEventListener('click', () => choose(index));
    token.addEventListener('focus', () => focused(index));
  });
  byId('next').addEventListener('click', () => jump(1));
  byId('previous').addEventListener('click', () => jump(-1));
  byId('numbers').addEventListener('change', (event) => {
    document.body.classList.toggle('numbers', event.target.checked);
  });
})();
