export { encryptFactors, hasSecondFactor, removeSecondFactor, SecondFactors } from './factors.ts'
