export { requireAsRead } from './as-read.ts'
export { requireReadableCode, requireReadableToRun, requireReadableVersion } from './check-code.ts'
export { listIdsIn } from './check-names.ts'
export { requireRunnable } from './check.ts'
export {
  actingOf,
  requireActing,
  requireChangeable,
  requireCharge,
  requireCommonKind,
  requireCommonWorkflow,
  requireGraph,
  requireWorkflow,
} from './find.ts'
export { emptyGraph, withParts } from './graph.ts'
export { acceptedAt } from './json-types.ts'
export { type DefinitionKind, kindOf } from './kinds.ts'
export { nameConditions } from './name-filter.ts'
export { presentVersion, presentWorkflow, shownGraph, showsInputs } from './present.ts'
export { rewriteGraph, type Rewritten } from './rewrite-graph.ts'
export {
  deleteVersions,
  deleteWorkflow,
  findVersion,
  findWorkflow,
  insertVersion,
  insertWorkflow,
  keepEnabled,
  listAll,
  listEnabled,
  listToActAs,
  listVersions,
  listWorking,
  lockWorkflow,
  updateWorkflow,
  type VersionRow,
  type Workflow,
  workflowsAmong,
  workflowSorting,
  type WorkflowRow,
} from './store.ts'
