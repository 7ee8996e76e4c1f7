export { layoutHandlers } from './handlers.ts'
