export { workspaceHandlers } from './handlers.ts'
export { Memberships, trustMs } from './service.ts'
export { findWorkspace, insertWorkspace, type WorkspaceRow } from './store.ts'
