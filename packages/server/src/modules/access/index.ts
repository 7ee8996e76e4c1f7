export { levelOn, levelsOn } from './levels.ts'
export { askerOf, atLeast, levelOnAll, type Asker, type Guarded, type Level } from './rules.ts'
export { seesAll, whereVisible } from './store.ts'
export type { AccessTarget, AccessTargets } from './targets.ts'
