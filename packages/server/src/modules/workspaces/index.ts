export { workspaceHandlers } from './handlers.ts'
export { Memberships, trustMs } from './service.ts'
export { findSchemaEpoch, findWorkspace, insertWorkspace } from './store.ts'
