export const element = (id) => document.getElementById(id);

/** Kept for this tab only: another tab, or the next visitor of this browser, has to enter it again. */
const place = 'roundhouse-key';

export const stored = () => sessionStorage.getItem(place) ?? '';

/** Like fetch, with the key if there is one. */
export function fetchWithKey(path, options = {}) {
  const key = stored();
  const headers = { ...options.headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
  return fetch(path, { ...options, headers });
}

/** Asks for a key where the platform wants one. `onChange` is called when another key is used. */
export function guardDoor(onChange) {
  /** Whether the stored key was just entered, so that its refusal is an answer to the user. */
  let entered = false;
  /** Whether the visitor wants to enter a key although none is needed. */
  let wanted = false;

  function use(key) {
    if (key === '') sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, key);
    onChange();
  }
  element('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    entered = true;
    wanted = false;
    use(element('key').value.trim());
  });
  element('forget').addEventListener('click', () => use(''));
  element('show-door').addEventListener('click', () => {
    wanted = true;
    element('door').hidden = false;
    element('key').focus();
  });

  /** Shows the form if the answer was a refusal. Returns whether the caller is let in. */
  return async function admit(response) {
    const refused = response.status === 401 || response.status === 403;
    const hadKey = stored() !== '';
    if (refused && hadKey) {
      complain(await reasonOf(response, entered));
      sessionStorage.removeItem(place);
    }
    if (!refused && !wanted) {
      complain('');
      element('key').value = '';
    }
    entered = false;
    const wasClosed = !element('door').hidden;
    element('door').hidden = !refused && !wanted;
    element('inside').hidden = refused;
    element('forget').hidden = refused || !hadKey;
    // With a key needed, the link alone would only show a refusal.
    element('metrics').hidden = refused || hadKey;
    if (refused && !wasClosed) element('key').focus();
    return !refused;
  };
}

async function reasonOf(response, entered) {
  if (response.status === 401) {
    return entered ? 'This key is not valid.' : 'The key is no longer valid. Enter another one.';
  }
  const { error } = await response.json().catch(() => ({}));
  return `This key may not be used here: ${error?.message ?? 'it lacks a scope'}.`;
}

function complain(text) {
  element('key-problem').textContent = text;
  element('key-problem').hidden = text === '';
}
