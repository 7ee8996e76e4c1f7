export { workspaceDescriber } from './service.ts'
