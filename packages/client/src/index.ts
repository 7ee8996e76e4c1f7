export * from './credential.ts'
export * from './errors.ts'
export * from './rest.ts'
export * from './trpc.ts'
