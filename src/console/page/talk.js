export const element = (id) => document.getElementById(id);

/** The chat on the front page. The conversation is only kept in this tab. */
export function startTalking() {
  const messages = [];
  let running;

  async function send() {
    const content = element('text').value.trim();
    if (content === '' || running) return;
    element('text').value = '';
    messages.push({ role: 'user', content });
    bubble('user', content);
    const answer = bubble('assistant', '…');
    running = new AbortController();
    busy(true);
    let text = '';
    try {
      for await (const piece of ask(element('model').value, messages, running.signal)) {
        text += piece;
        answer.textContent = text;
      }
    } catch (error) {
      if (error.name !== 'AbortError') {
        answer.className = 'failed';
        answer.textContent = error.message;
      }
    }
    // A question without an answer would confuse the model in the next turn.
    if (text === '') messages.pop();
    else messages.push({ role: 'assistant', content: text });
    running = undefined;
    busy(false);
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
  element('talk').hidden = models.length === 0;
  if (models.join('\n') === Array.from(select.options, (option) => option.value).join('\n')) return;
  const chosen = select.value;
  select.replaceChildren(...models.map((model) => new Option(model, model, false, model === chosen)));
}

async function* ask(model, messages, signal) {
  const key = element('key').value.trim();
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, messages, stream: true, temperature: 0.7 }),
    signal,
  });
  if (!response.ok) {
    element('key-field').hidden = response.status !== 401 && response.status !== 403;
    const { error, detail } = await response.json();
    throw new Error(error?.message ?? JSON.stringify(detail));
  }
  let rest = '';
  for await (const chunk of decoded(response.body)) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
      const event = JSON.parse(line.slice(6));
      if (event.error) throw new Error(event.error.message);
      yield event.choices[0]?.delta?.content ?? '';
    }
  }
}

/** Not every browser can iterate over a stream. */
async function* decoded(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
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

function busy(yes) {
  element('send').hidden = yes;
  element('stop').hidden = !yes;
}
