export { MailFailure, messageIdOf, sendingMax, smtpMailer, type Mailer } from './mailer.ts'
