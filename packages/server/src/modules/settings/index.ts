export { settingHandlers } from './handlers.ts'
export { findSettings } from './store.ts'
