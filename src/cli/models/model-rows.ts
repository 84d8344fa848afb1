import type { FoundModel, ModelEntry } from '../../contracts/management/models.ts';
import { size } from '../terminal/amounts.ts';
import { table } from '../terminal/table.ts';

export const libraryTable = (models: ModelEntry[]) =>
  table(['ID', 'KIND', 'QUANTISATION', 'SIZE', 'ENGINES'], models.map(libraryRow));

function libraryRow({ model_id, adapter, base_model_id, facts = {} }: ModelEntry): string[] {
  return [
    model_id,
    adapter
      ? `adapter of ${base_model_id ?? '?'}`
      : [facts.task, facts.architecture].filter(Boolean).join(' '),
    facts.quantization ?? '',
    facts.size_bytes ? size(facts.size_bytes) : '',
    facts.engines?.length ? facts.engines.join(', ') : `can't be served: ${facts.reason ?? 'unknown'}`,
  ];
}

export const foundTable = (models: FoundModel[]) =>
  table(['ID', 'FROM', 'TASK', 'FORMATS', 'SIZE', 'DOWNLOADS', 'LICENCE', 'NOTE'], models.map(foundRow));

function foundRow(model: FoundModel): string[] {
  const { model_id, source, task, formats, size_bytes, downloads, license, gated, present, note } = model;
  return [
    model_id,
    source,
    task ?? '',
    formats.join(','),
    size_bytes === null ? '' : size(size_bytes),
    downloads === null ? '' : String(downloads),
    license ?? '',
    [present ? 'in the library' : '', gated ? 'gated' : '', note ?? ''].filter(Boolean).join('; '),
  ];
}
