import { type LayoutModels, type Model, openModel } from './models.ts';

/** The four models, each loaded when it is first needed. */
export interface Vision {
  layout(): Promise<Model>;
  table(): Promise<Model>;
  orientation(): Promise<Model>;
  lines(): Promise<Model>;
  close(): Promise<void>;
}

export function openVision(paths: LayoutModels): Vision {
  const open = new Map<keyof LayoutModels, Promise<Model>>();
  const get = (name: keyof LayoutModels) => () => {
    const model = open.get(name) ?? openModel(paths[name]);
    open.set(name, model);
    return model;
  };
  return {
    layout: get('layout'),
    table: get('table'),
    orientation: get('orientation'),
    lines: get('lines'),
    async close() {
      for (const model of open.values()) await (await model).close();
      open.clear();
    },
  };
}
