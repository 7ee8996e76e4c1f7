export { Providers } from './providers.ts'
