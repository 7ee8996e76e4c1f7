export { workspaceHandlers } from './handlers.ts'
export { Memberships, trustMs } from './service.ts'
export {
  findSchemaEpoch,
  findSlug,
  findWorkspace,
  insertWorkspace,
  listWorkspaces,
  type WorkspaceRow,
} from './store.ts'
