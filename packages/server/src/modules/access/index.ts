export { askerOf, atLeast, levelOnAll, levelOnRecord, type Asker, type Level } from './rules.ts'
export { seesAll, whereVisible } from './store.ts'
