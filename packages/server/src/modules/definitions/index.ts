export { listIdsIn } from './check-names.ts'
export { placeOf, requireRunnable, type SentAttributes } from './check.ts'
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
export { withParts } from './graph.ts'
export { acceptedAt } from './json-types.ts'
export { type DefinitionKind, kindOf } from './kinds.ts'
export { presentVersion, presentWorkflow, shownGraph, showsInputs } from './present.ts'
export { rewriteGraph } from './rewrite-graph.ts'
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
