import { askBot, call, dropKey, heldKey, holdKey, postJson, Refused } from './answer-events.js';
import { showGreeting } from './greeting.js';
import { make, questionButtons, showAnswer, showText } from './show-answer.js';
import { isRussian, words } from './words.js';

const bot = decodeURIComponent(location.pathname.replace(/^\/agent\//, '').replace(/\/+$/, ''));
const at = (id) => document.getElementById(id);
const history = [];
const keptTurns = 20;
let running;

function nameThings() {
  if (isRussian) document.documentElement.lang = 'ru';
  const texts = {
    name: bot,
    clear: words.clear,
    forget: words.forget,
    'door-title': words.doorTitle,
    'door-text': words.doorText,
    'key-label': words.key,
    'use-key': words.useKey,
    send: words.send,
    stop: words.stop,
  };
  for (const [id, text] of Object.entries(texts)) at(id).textContent = text;
  at('question').placeholder = words.placeholder;
  at('question').ariaLabel = words.yourQuestion;
  document.title = bot;
}

/** Asks for the greeting until the bot is ready, or says what is in the way. */
async function open() {
  try {
    const response = await call(`/v.1.0/${encodeURIComponent(bot)}`);
    const profile = await response.json();
    at('door').hidden = true;
    at('forget').hidden = heldKey() === undefined;
    notice(profile.ready ? undefined : waitingFor(profile));
    greet(profile);
    if (!profile.ready) return later();
  } catch (error) {
    if (error instanceof Refused) refused(error);
    else {
      notice(words.away);
      later();
    }
  }
}

const later = () => setTimeout(open, 3000);

function waitingFor({ status, problem }) {
  if (status === 'empty') return words.empty;
  return status === 'failed' ? `${words.failed} ${problem ?? ''}` : words.notReady;
}

function refused({ status, message }) {
  at('ask').hidden = true;
  notice(undefined);
  if (status === 401 || status === 403) {
    at('door').hidden = false;
    at('key-problem').textContent = words.badKey;
    at('key-problem').hidden = heldKey() === undefined;
    dropKey();
    at('key').focus();
  } else if (status === 404 || status === 422) notice(words.unknown);
  else {
    notice(message);
    later();
  }
}

function greet({ hello_text, example_questions, ready }) {
  if (hello_text.trim() === '') at('greeting').textContent = words.hello;
  else showGreeting(at('greeting'), hello_text);
  // Nothing can be asked yet, and the notice says why.
  at('greeting').hidden = !ready && hello_text.trim() === '';
  at('ask').hidden = !ready;
  const examples = questionButtons(example_questions.slice(0, 6), ask);
  at('examples').replaceChildren(...examples);
  at('examples').hidden = !ready || examples.length === 0 || history.length > 0;
  if (ready) at('question').focus({ preventScroll: true });
}

async function ask(question) {
  if (running || question.trim() === '') return;
  at('question').value = '';
  grow();
  at('examples').hidden = true;
  at('clear').hidden = false;
  const turn = make('li', { className: 'question', textContent: question });
  const target = make('li', { className: 'answer' });
  at('conversation').append(turn, target);
  turn.scrollIntoView({ block: 'start', behavior: 'smooth' });
  running = new AbortController();
  busy(true);
  try {
    await receive(question, target, running.signal);
  } catch (error) {
    failed(error, question, turn, target);
  }
  running = undefined;
  busy(false);
  at('progress').textContent = '';
  at('question').focus({ preventScroll: true });
}

async function receive(question, target, signal) {
  let text = '';
  let answer;
  for await (const { name, data } of askBot(bot, { question, history: history.slice(-keptTurns) }, signal)) {
    if (name === 'stage') at('progress').textContent = words[data.stage] ?? '';
    else if (name === 'delta') {
      text += data.text;
      showText(target, text);
    } else if (name === 'error') throw new Refused(500, data.error);
    else if (name === 'answer') answer = data;
  }
  if (!answer) throw new Error(words.lost);
  showAnswer(target, answer, ask);
  if (answer.id) target.append(ratingOf(answer.id));
  history.push({ role: 'user', content: question }, { role: 'assistant', content: answer.answer });
}

function failed(error, question, turn, target) {
  const isStopped = error.name === 'AbortError';
  if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
    turn.remove();
    target.remove();
    at('question').value = question;
    return refused(error);
  }
  const text = isStopped ? words.stopped : error instanceof Refused ? error.message : words.lost;
  const again = make('button', { type: 'button', className: 'small', textContent: words.tryAgain });
  again.addEventListener('click', () => {
    turn.remove();
    target.remove();
    void ask(question);
  });
  target.append(make('p', { className: isStopped ? 'quiet' : 'problem', textContent: `${text} ` }, again));
}

function ratingOf(answer_id) {
  const row = make('p', { className: 'rating' });
  const rate = async (rating, comment) => {
    await postJson(`/v.1.0/${bot}/feedback`, { answer_id, rating, ...(comment ? { comment } : {}) });
  };
  const choice = (label, rating) => {
    const button = make('button', { type: 'button', className: 'small', textContent: label });
    button.ariaPressed = 'false';
    button.addEventListener('click', async () => {
      try {
        await rate(rating);
        for (const other of row.querySelectorAll('button[aria-pressed]'))
          other.ariaPressed = String(other === button);
        row.querySelector('.comment')?.remove();
        const next = rating === 'down' ? commentForm(rate) : thanks();
        row.append(next);
        next.scrollIntoView({ block: 'nearest' });
        next.querySelector('input')?.focus({ preventScroll: true });
      } catch (error) {
        row.append(
          make('span', { className: 'problem comment', role: 'alert', textContent: ` ${error.message}` }),
        );
      }
    });
    return button;
  };
  row.append(choice(words.good, 'up'), choice(words.bad, 'down'));
  return row;
}

const thanks = () =>
  make('span', { className: 'quiet comment', role: 'status', textContent: ` ${words.thanks}` });

function commentForm(rate) {
  const input = make('input', {
    type: 'text',
    maxLength: 4000,
    placeholder: words.what,
    ariaLabel: words.what,
  });
  const form = make('form', { className: 'comment row' }, input);
  form.append(make('button', { type: 'submit', className: 'small', textContent: words.sendComment }));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await rate('down', input.value.trim()).catch(() => undefined);
    form.replaceWith(thanks());
  });
  return form;
}

function busy(yes) {
  at('send').hidden = yes;
  at('stop').hidden = !yes;
  at('conversation').ariaBusy = String(yes);
}

function notice(text) {
  at('notice').textContent = text ?? '';
  at('notice').hidden = text === undefined;
}

function grow() {
  const box = at('question');
  box.rows = Math.min(6, Math.max(1, box.value.split('\n').length, Math.ceil(box.value.length / 60)));
}

at('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  void ask(at('question').value);
});
at('question').addEventListener('input', grow);
at('question').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void ask(at('question').value);
});
at('stop').addEventListener('click', () => running?.abort());
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') running?.abort();
});
at('clear').addEventListener('click', () => {
  running?.abort();
  history.length = 0;
  at('conversation').replaceChildren();
  at('clear').hidden = true;
  void open();
});
at('door').addEventListener('submit', (event) => {
  event.preventDefault();
  holdKey(at('key').value.trim());
  at('key').value = '';
  void open();
});
at('forget').addEventListener('click', () => {
  dropKey();
  location.reload();
});

nameThings();
void open();
