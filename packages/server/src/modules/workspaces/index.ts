export { workspaceHandlers } from './handlers.ts'
export { Memberships, trustMs } from './service.ts'
export { findWorkspace, insertWorkspace } from './store.ts'
