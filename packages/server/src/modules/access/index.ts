export {
  deleteGrantsOfUser,
  deleteGrantsOn,
  deleteObjectGrantsOfUser,
  findWorkspaceGrant,
  grantsOfRecords,
} from './grants.ts'
export { accessHandlers } from './handlers.ts'
export {
  levelOn,
  levelsOn,
  countPrivate,
  countPublic,
  countVisible,
  ownsAny,
  privateRecords,
  privateRows,
  publicRows,
  publicTotalInSql,
  seesAll,
  sharedAbove,
  visibleTotalInSql,
  whereVisible,
  whereVisibleRow,
} from './store.ts'
export { mergeGrants, type MergeSource } from './merge.ts'
export {
  principalOf,
  atLeast,
  hidden,
  levelBeforeGrants,
  levelOnAll,
  rankOf,
  mayUse,
  type Principal,
  type Level,
  type Permission,
} from './rules.ts'
export { grantedObject } from './object-grants.ts'
export { shareWithWorkspace } from './service.ts'
export type { AccessTarget, AccessTargets } from './targets.ts'
