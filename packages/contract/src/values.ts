// Values without the shapes of the API: for processes that begin often and load little.

export * from './csv-cells.ts'
export * from './exact-json.ts'
export * from './json-types.ts'
export * from './preview-rows.ts'
export * from './visible.ts'
