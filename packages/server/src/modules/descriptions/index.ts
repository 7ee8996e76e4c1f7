export { workspaceDescriber, type Addresses } from './service.ts'
