export { workspaceDescriber } from './service.ts'
export { describeDocuments } from './documents.ts'
