const element = (id) => document.getElementById(id);

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
}

async function refresh() {
  try {
    const { status, parts } = await (await fetch('/readyz')).json();
    show(status, status === 'ready');
    const rows = Object.entries(parts).map(([name, part]) =>
      row(name, part.detail ?? (part.ready ? 'ready' : 'not ready')),
    );
    element('parts').replaceChildren(...rows);
    const models = await fetch('/v1/models');
    const { data = [] } = models.ok ? await models.json() : {};
    element('served').replaceChildren(
      ...data.map((model) => row(model.id, model.parent ? `adapter of ${model.parent}` : model.owned_by)),
    );
    element('none').hidden = data.length > 0;
  } catch {
    show('not reachable', false);
  }
}

await refresh();
setInterval(refresh, 3000);
