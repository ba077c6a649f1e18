import type { FramesRepository } from './frames.repository.js';

export type Frames = FramesRepository;
