type Components = Record<string, unknown> & { schemas?: Record<string, unknown> };

/**
 * Leaves out the schemas that nothing in the document refers to: the registry they come from holds those of every
 * service. The ones that stay are in the order of their names, so that the committed file changes only in meaning.
 */
export function onlyUsedComponents<Document extends object>(document: Document): Document {
  const { schemas: all = {}, ...others } = (document as { components?: Components }).components ?? {};
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const name = key === '$ref' ? /^#\/components\/schemas\/(.+)$/.exec(String(inner))?.[1] : undefined;
      if (name !== undefined && !used.has(name)) {
        used.add(name);
        visit(all[name]);
      }
      visit(inner);
    }
  };
  visit({ ...document, components: others });
  const schemas = Object.fromEntries([...used].sort().map((name) => [name, all[name]]));
  return plainNames({ ...document, components: { ...others, schemas } }, used);
}

/** A schema that is only ever read is described as `<name>Input`; where there is no other, its own name is free. */
function plainNames<Document>(document: Document, used: Set<string>): Document {
  let text = JSON.stringify(document);
  for (const name of used) {
    const plain = name.replace(/Input$/, '');
    if (plain === name || used.has(plain)) continue;
    text = text.replaceAll(`"#/components/schemas/${name}"`, `"#/components/schemas/${plain}"`);
    text = text.replace(`"${name}":{`, `"${plain}":{`);
  }
  return JSON.parse(text) as Document;
}
