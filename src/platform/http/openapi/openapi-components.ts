type Schemas = Record<string, unknown>;

interface OpenApiDocument {
  components?: { schemas?: Schemas };
}

const prefix = '#/components/schemas/';

/** Removes unused components and renames the rest to their own names. */
export function tidyComponents<Document extends object>(document: Document): Document {
  return underOwnNames(onlyUsedComponents(document)) as Document;
}

/** Removes unreferenced components: the schema registry contains those of every service. */
function onlyUsedComponents(document: OpenApiDocument): OpenApiDocument {
  const all = document.components?.schemas ?? {};
  const { schemas: _schemas, ...otherComponents } = document.components ?? {};
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const name of namesIn(value)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(all[name]);
    }
  };
  visit({ ...document, components: otherComponents });
  const schemas = Object.fromEntries([...used].map((name) => [name, all[name]]));
  return { ...document, components: { ...otherComponents, schemas } };
}

/**
 * A schema is called `XInput` in requests and `X` in responses, because a field with a default is optional in the
 * former and always present in the latter. If only one form is used, or both are equal, it is called `X`.
 */
function underOwnNames(document: OpenApiDocument): OpenApiDocument {
  const schemas = document.components?.schemas ?? {};
  const renamed = new Set(Object.keys(schemas).filter((name) => name.endsWith('Input')));
  const asRenamed = (value: unknown) =>
    JSON.stringify(value, (key, inner) =>
      key === '$ref' && typeof inner === 'string' ? rename(inner) : inner,
    );
  const rename = (reference: string) => {
    const name = reference.slice(prefix.length);
    return renamed.has(name) ? prefix + ownName(name) : reference;
  };
  // Two equal schemas may refer to two that differ, so this repeats until no more pairs differ.
  let differing: string[];
  do {
    differing = [...renamed].filter((name) => {
      const written = schemas[ownName(name)];
      return written !== undefined && asRenamed(written) !== asRenamed(schemas[name]);
    });
    for (const name of differing) renamed.delete(name);
  } while (differing.length > 0);
  // Sorted by name, so that the committed file changes only when a schema does.
  const named = Object.fromEntries(
    Object.entries(schemas)
      .map(([name, schema]) => [renamed.has(name) ? ownName(name) : name, schema] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  return JSON.parse(asRenamed({ ...document, components: { ...document.components, schemas: named } }));
}

const ownName = (name: string) => name.replace(/Input$/, '');

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' && inner.startsWith(prefix)
      ? [inner.slice(prefix.length)]
      : namesIn(inner),
  );
}
