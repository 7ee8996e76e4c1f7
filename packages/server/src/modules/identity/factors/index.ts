export { listWithFactor } from './store.ts'
export { encryptFactors, hasSecondFactor, removeSecondFactor, SecondFactors } from './factors.ts'
