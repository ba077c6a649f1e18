export class FramesRepository {}
