export { settingHandlers } from './handlers.ts'
export { findLocalTime, findSettings, type LocalTime } from './store.ts'
