export { workspaceHandlers } from './handlers.ts'
export { Memberships, trustMs } from './service.ts'
export {
  findInboundRotation,
  rotateInbound,
  findSchemaEpoch,
  findSlug,
  findWorkspace,
  findWorkspaceName,
  hasWorkspaces,
  insertWorkspace,
  listSlugs,
  listWorkspaces,
  type WorkspaceRow,
} from './store.ts'
