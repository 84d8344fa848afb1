import { hideBots, showBots } from './bots.js';
import { element, fetchWithKey, guardDoor } from './key.js';
import { startTalking } from './talk.js';

function row(name, detail) {
  const item = document.createElement('li');
  const label = document.createElement('b');
  const text = document.createElement('span');
  label.textContent = name;
  text.textContent = detail;
  item.append(label, text);
  return item;
}

function show(text, good) {
  const badge = element('status');
  badge.textContent = text;
  badge.className = `badge ${good ? 'good' : 'bad'}`;
  element('down').hidden = true;
}

function showDown() {
  show('not reachable', false);
  element('down').hidden = false;
  element('parts').replaceChildren();
  element('served').replaceChildren();
  element('none').hidden = true;
  hideBots();
  talk.offer([]);
}

async function refresh() {
  try {
    const { status, parts } = await (await fetch('/readyz')).json();
    show(status, status === 'ready');
    const describe = (part) => part.detail ?? (part.ready ? 'ready' : 'not ready');
    element('parts').replaceChildren(
      ...Object.entries(parts).map(([name, part]) => row(name, describe(part))),
    );
    await refreshModels();
  } catch {
    showDown();
  }
}

async function refreshModels() {
  const response = await fetchWithKey('/v1/models');
  const admitted = await admit(response);
  const { data = [] } = response.ok ? await response.json() : {};
  const origin = (model) => (model.parent ? `adapter of ${model.parent}` : (model.task ?? model.owned_by));
  const models = data.filter((model) => model.task !== 'bot');
  element('served').replaceChildren(...models.map((model) => row(model.id, origin(model))));
  element('none').hidden = !admitted || models.length > 0;
  if (admitted) await showBots(data.filter((model) => model.task === 'bot'));
  else hideBots();
  talk.offer(
    models.filter((model) => model.task === undefined || model.task === 'llm').map((model) => model.id),
  );
}

const talk = startTalking();
const admit = guardDoor(refresh);
await refresh();
setInterval(refresh, 3000);
