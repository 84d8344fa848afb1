import { element, fetchWithKey, stored } from './key.js';

const states = new Map([
  ['creating', 'being indexed'],
  ['failed', 'its documents could not be read'],
  ['empty', 'no documents'],
]);
/** The status of the platform is asked for only now and then: it looks at disks and GPUs. */
const lookEvery = 30_000;
let lookedAt = Number.NEGATIVE_INFINITY;
let total = 0;

export function hideBots() {
  element('bots').hidden = true;
}

/** Shows the bots that the visitor may use, or how many there are, or how to create one. */
export async function showBots(bots) {
  element('bots').hidden = false;
  element('bot-list').replaceChildren(...bots.map(botRow));
  if (bots.length === 0) await countBots();
  const count = total === 1 ? '1 bot' : `${total} bots`;
  const refusal = stored() === '' ? '' : ' This key may not use them.';
  say(bots.length > 0 || total === 0 ? '' : `This platform has ${count}.${refusal}`);
  element('no-bots').hidden = bots.length > 0 || total > 0;
}

async function countBots() {
  if (performance.now() - lookedAt < lookEvery) return;
  lookedAt = performance.now();
  const response = await fetchWithKey('/api/v1/status');
  const { bots } = response.ok ? await response.json() : {};
  total = Object.values(bots ?? {}).reduce((sum, count) => sum + count, 0);
}

function botRow({ id, status }) {
  const name = id.replace(/^bot\//, '');
  const item = document.createElement('li');
  const link = document.createElement('a');
  const text = document.createElement('span');
  link.href = `/agent/${encodeURIComponent(name)}`;
  link.textContent = name;
  text.textContent = states.get(status) ?? 'ready';
  item.append(link, text);
  return item;
}

function say(counts) {
  element('bot-counts').textContent = counts;
  element('hidden-bots').hidden = counts === '';
}
