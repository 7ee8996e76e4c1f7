export * from './infinite-list-options.ts'
export * from './keep-fresh.ts'
export * from './object-options.ts'
