export { askerOf, atLeast, levelOnAll, levelOnRecord, type Asker } from './rules.ts'
export { seesAll, whereVisible } from './store.ts'
