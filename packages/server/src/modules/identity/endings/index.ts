export { checkEndings, endingsJobType, expectExpiry, followEndings } from './endings.ts'
