import { showAnswer } from './answer.js';
import { answerLimit, beforeLoop } from './answer-limits.js';
import { element, fetchWithKey } from './key.js';

/** The chat on the front page. The conversation is only kept in this tab. */
export function startTalking() {
  const messages = [];
  let running;

  async function send() {
    const content = element('text').value.trim();
    if (content === '' || running || element('send').disabled) return;
    element('text').value = '';
    messages.push({ role: 'user', content });
    bubble('user', content);
    const answer = bubble('assistant', '…');
    running = new AbortController();
    busy(true);
    const said = await receive(answer, running);
    // A question without an answer would confuse the model in the next turn.
    if (said === '') messages.pop();
    else messages.push({ role: 'assistant', content: said });
    running = undefined;
    busy(false);
  }

  /** Shows the answer as it arrives. Returns what the model should remember of it. */
  async function receive(answer, control) {
    let text = '';
    try {
      for await (const { piece, ending } of ask(element('model').value, messages, control.signal)) {
        text += piece;
        if (piece !== '') showAnswer(answer, text);
        if (ending === 'length')
          note(answer, `The answer was cut off at its limit of ${answerLimit} tokens.`);
        const kept = piece === '' ? undefined : beforeLoop(text);
        if (kept === undefined) continue;
        control.abort();
        showAnswer(answer, kept);
        note(answer, 'Stopped, because the model was repeating itself.');
        return kept;
      }
      if (text === '') answer.textContent = '';
    } catch (error) {
      if (error.name !== 'AbortError') {
        if (text !== '') note(answer, error.message);
        else Object.assign(answer, { className: 'failed', textContent: error.message });
      } else if (text === '') answer.textContent = 'Stopped.';
    }
    return text;
  }

  element('question').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  element('text').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  });
  element('stop').addEventListener('click', () => running?.abort());
  element('clear').addEventListener('click', () => {
    running?.abort();
    messages.length = 0;
    element('conversation').replaceChildren();
  });
  return { offer };
}

/** Updates the list of models, and keeps the selected one if it is still there. */
function offer(models) {
  const select = element('model');
  element('talk').hidden = models.length === 0 && element('conversation').children.length === 0;
  element('send').disabled = models.length === 0;
  // The selection survives while the platform is away.
  if (models.length === 0) return;
  if (models.join('\n') === Array.from(select.options, (option) => option.value).join('\n')) return;
  const chosen = select.value;
  select.replaceChildren(...models.map((model) => new Option(model, model, false, model === chosen)));
}

async function* ask(model, messages, signal) {
  const response = await request(model, messages, signal);
  let rest = '';
  for await (const chunk of decoded(response.body)) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
      const event = JSON.parse(line.slice(6));
      if (event.error) throw new Error(event.error.message);
      const choice = event.choices?.[0];
      yield { piece: choice?.delta?.content ?? '', ending: choice?.finish_reason };
    }
  }
}

async function request(model, messages, signal, limits = { max_tokens: answerLimit }) {
  const response = await fetchWithKey('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, stream: true, temperature: 0.7, ...limits }),
    signal,
  }).catch((error) => {
    throw error.name === 'AbortError' ? error : new Error('The platform does not answer.');
  });
  if (response.ok) return response;
  const { error, detail } = await response.json().catch(() => ({}));
  // Near the end of the context there may be room for a shorter answer.
  if (error?.code === 'context_length_exceeded' && limits.max_tokens)
    return request(model, messages, signal, {});
  throw new Error(
    error?.message ?? (detail ? JSON.stringify(detail) : `The platform answered ${response.status}.`),
  );
}

/** Not every browser can iterate over a stream. */
async function* decoded(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      throw error.name === 'AbortError' ? error : new Error('The connection to the platform was lost.');
    });
    if (done) return;
    yield value;
  }
}

function bubble(role, text) {
  const item = document.createElement('li');
  item.className = role;
  item.textContent = text;
  element('conversation').append(item);
  item.scrollIntoView({ block: 'nearest' });
  return item;
}

function note(answer, text) {
  const line = document.createElement('p');
  line.className = 'note';
  line.textContent = text;
  answer.append(line);
}

function busy(yes) {
  element('send').hidden = yes;
  element('stop').hidden = !yes;
}
