export { mcpEndpoint, type McpEndpoint } from './endpoint.ts'
export { workspaceHeader } from './workspace.ts'
