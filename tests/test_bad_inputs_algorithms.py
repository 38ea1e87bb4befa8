"""Bad arguments of algorithms, schedules and schemes: each is refused by the name of the quantity, with its value.

A row is a call and the words that its error must contain; the fixture ``refused`` says what else is asked of an error.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

TABLE = r"""
fl.FedAvg(0, 0.1, fl.Full())  # local_steps=0
fl.FedAvg(-1, 0.1, fl.Full())  # local_steps=-1
fl.FedAvg(2.5, 0.1, fl.Full())  # local_steps=2.5
fl.FedAvg('3', 0.1, fl.Full())  # local_steps='3'
fl.FedAvg(None, 0.1, fl.Full())  # local_steps=None
fl.FedAvg(True, 0.1, fl.Full())  # local_steps=True
fl.FedAvg(nan, 0.1, fl.Full())  # local_steps=nan
fl.FedAvg(inf, 0.1, fl.Full())  # local_steps=inf
fl.FedAvg(2j, 0.1, fl.Full())  # local_steps=2j
fl.FedAvg(2, 0, fl.Full())  # step_size=0
fl.FedAvg(2, -0.1, fl.Full())  # step_size=-0.1
fl.FedAvg(2, nan, fl.Full())  # step_size=nan
fl.FedAvg(2, inf, fl.Full())  # step_size=inf
fl.FedAvg(2, 'a tenth', fl.Full())  # step_size='a tenth'
fl.FedAvg(2, None, fl.Full())  # step_size=None
fl.FedAvg(2, True, fl.Full())  # step_size=True
fl.FedAvg(2, 0.1j, fl.Full())  # step_size=0.1j
fl.FedAvg(2, [0.1], fl.Full())  # step_size=[0.1]
fl.FedAvg(2, 0.1, 'full')  # participation='full'
fl.FedAvg(2, 0.1, None)  # participation=None
fl.FedAvg(2, 0.1, 3)  # participation=3
fl.FedAvg(2, 0.1, fl.Full)  # participation=Full
fl.FedAvg(2, 0.1, fl.SchemeII)  # participation=SchemeII
fl.FedAvg(2, 0.1, 0.5)  # participation=0.5
fl.FedAvg(2, 0.1, [])  # participation=[]
fl.ParallelRestartedSGD([2], 0.1, fl.Full())  # local_steps=[2]
fl.ParallelRestartedSGD(int, 0.1, fl.Full())  # local_steps=the class
fl.ParallelRestartedSGD(10**30, 0.1, fl.Full())  # local_steps=1000000000000000000000000000000
fl.ParallelRestartedSGD(2, float, fl.Full())  # step_size=the class
fl.ParallelRestartedSGD(2, object(), fl.Full())  # step_size=<object
fl.ParallelRestartedSGD(2, np.array([0.1, 0.2]), fl.Full())  # step_size=array([0.1,
fl.ParallelRestartedSGD(2, 0.1, 'full')  # participation='full'
fl.ParallelRestartedSGD(2, 0.1, None)  # participation=None
fl.ParallelRestartedSGD(2, 0.1, 3)  # participation=3
fl.FedProx(0, 0.1, 0, fl.Full())  # local_steps=0
fl.FedProx(-1, 0.1, 0, fl.Full())  # local_steps=-1
fl.FedProx(2.5, 0.1, 0, fl.Full())  # local_steps=2.5
fl.FedProx(2, 0, 0, fl.Full())  # step_size=0
fl.FedProx(2, -0.1, 0, fl.Full())  # step_size=-0.1
fl.FedProx(2, nan, 0, fl.Full())  # step_size=nan
fl.FedProx(2, 0.1, -0.1, fl.Full())  # prox=-0.1
fl.FedProx(2, 0.1, nan, fl.Full())  # prox=nan
fl.FedProx(2, 0.1, inf, fl.Full())  # prox=inf
fl.FedProx(2, 0.1, 0, fl.Full)  # participation=Full
fl.FedProx(2, 0.1, 0, fl.SchemeII)  # participation=SchemeII
fl.FedProx(2, 0.1, 0, 0.5)  # participation=0.5
fl.TwoSidedFedAvg('3', 0.1, 1, fl.Full())  # local_steps='3'
fl.TwoSidedFedAvg(None, 0.1, 1, fl.Full())  # local_steps=None
fl.TwoSidedFedAvg(2, inf, 1, fl.Full())  # step_size=inf
fl.TwoSidedFedAvg(2, 'a tenth', 1, fl.Full())  # step_size='a tenth'
fl.TwoSidedFedAvg(2, 0.1, None, fl.Full())  # server_step_size=None
fl.TwoSidedFedAvg(2, 0.1, True, fl.Full())  # server_step_size=True
fl.TwoSidedFedAvg(2, 0.1, 1, [])  # participation=[]
fl.TwoSidedFedAvg(2, 0.1, 1, 'full')  # participation='full'
fl.GradientCorrected(True, 0.1, 1, fl.Full())  # local_steps=True
fl.GradientCorrected(nan, 0.1, 1, fl.Full())  # local_steps=nan
fl.GradientCorrected(2, 0.1j, 1, fl.Full())  # step_size=0.1j
fl.GradientCorrected(2, [0.1], 1, fl.Full())  # step_size=[0.1]
fl.GradientCorrected(2, 0.1, float, fl.Full())  # server_step_size=the class
fl.GradientCorrected(2, 0.1, object(), fl.Full())  # server_step_size=<object
fl.GradientCorrected(2, 0.1, 1, None)  # participation=None
fl.GradientCorrected(2, 0.1, 1, 3)  # participation=3
fl.Scaffold(inf, 0.1, 1, fl.Full(), 'I')  # local_steps=inf
fl.Scaffold(2j, 0.1, 1, fl.Full(), 'I')  # local_steps=2j
fl.Scaffold(2, np.array([0.1, 0.2]), 1, fl.Full(), 'I')  # step_size=array([0.1,
fl.Scaffold(2, 0, 1, fl.Full(), 'I')  # step_size=0
fl.Scaffold(2, 0.1, -0.1, fl.Full(), 'I')  # server_step_size=-0.1
fl.Scaffold(2, 0.1, nan, fl.Full(), 'I')  # server_step_size=nan
fl.Scaffold(2, 0.1, 1, fl.Full, 'I')  # participation=Full
fl.Scaffold(2, 0.1, 1, fl.SchemeII, 'I')  # participation=SchemeII
fl.Scaffold(2, 0.1, 1, fl.Full(), 'splendid')  # option='splendid'
fl.Scaffold(2, 0.1, 1, fl.Full(), 3)  # option=3
fl.SimplifiedElastic([2], 0.1, 1, 1, fl.Full())  # local_steps=[2]
fl.SimplifiedElastic(int, 0.1, 1, 1, fl.Full())  # local_steps=the class
fl.SimplifiedElastic(2, inf, 1, 1, fl.Full())  # step_size=inf
fl.SimplifiedElastic(2, 'a tenth', 1, 1, fl.Full())  # step_size='a tenth'
fl.SimplifiedElastic(2, 0.1, None, 1, fl.Full())  # server_step_size=None
fl.SimplifiedElastic(2, 0.1, True, 1, fl.Full())  # server_step_size=True
fl.SimplifiedElastic(2, 0.1, 1, 0.1j, fl.Full())  # elasticity=0.1j
fl.SimplifiedElastic(2, 0.1, 1, [0.1], fl.Full())  # elasticity=[0.1]
fl.SimplifiedElastic(2, 0.1, 1, 1, 0.5)  # participation=0.5
fl.SimplifiedElastic(2, 0.1, 1, 1, [])  # participation=[]
fl.FedOpt(10**30, 0.1, 1, fl.Full(), fl.Adam())  # local_steps=1000000000000000000000000000000
fl.FedOpt(0, 0.1, 1, fl.Full(), fl.Adam())  # local_steps=0
fl.FedOpt(2, float, 1, fl.Full(), fl.Adam())  # step_size=the class
fl.FedOpt(2, object(), 1, fl.Full(), fl.Adam())  # step_size=<object
fl.FedOpt(2, 0.1, np.array([0.1, 0.2]), fl.Full(), fl.Adam())  # server_step_size=array([0.1,
fl.FedOpt(2, 0.1, 0, fl.Full(), fl.Adam())  # server_step_size=0
fl.FedOpt(2, 0.1, 1, 'full', fl.Adam())  # participation='full'
fl.FedOpt(2, 0.1, 1, None, fl.Adam())  # participation=None
fl.FedOpt(2, 0.1, 1, fl.Full(), 'adam')  # server='adam'
fl.FedOpt(2, 0.1, 1, fl.Full(), None)  # server=None
fl.ParallelTraining(-1, 0.1, 0.1, 1, 1)  # local_steps=-1
fl.ParallelTraining(2.5, 0.1, 0.1, 1, 1)  # local_steps=2.5
fl.ParallelTraining(2, -0.1, 0.1, 1, 1)  # step_size=-0.1
fl.ParallelTraining(2, nan, 0.1, 1, 1)  # step_size=nan
fl.ParallelTraining(2, 0.1, inf, 1, 1)  # central_step_size=inf
fl.ParallelTraining(2, 0.1, 'a tenth', 1, 1)  # central_step_size='a tenth'
fl.ParallelTraining(2, 0.1, 0.1, None, 1)  # server_step_size=None
fl.ParallelTraining(2, 0.1, 0.1, True, 1)  # server_step_size=True
fl.ParallelTraining(2, 0.1, 0.1, 1, 0.1j)  # merge_step_size=0.1j
fl.ParallelTraining(2, 0.1, 0.1, 1, [0.1])  # merge_step_size=[0.1]
fl.ParallelTraining(2, 0.1, 0.1, central_steps=0, participation=fl.Full(), merge='sum')  # central_steps=0
fl.ParallelTraining(2, 0.1, 0.1, central_steps=2.5, participation=fl.Full(), merge='sum')  # central_steps=2.5
fl.ParallelTraining(2, 0.1, 0.1, central_steps=1, participation=3, merge='sum')  # participation=3
fl.ParallelTraining(2, 0.1, 0.1, central_steps=1, participation=fl.Full, merge='sum')  # participation=Full
fl.ParallelTraining(2, 0.1, 0.1, central_steps=1, participation=fl.Full(), merge=None)  # merge=None
fl.ParallelTraining(2, 0.1, 0.1, central_steps=1, participation=fl.Full(), merge=True)  # merge=True
fl.ParallelTraining(2, 0.1, 0.1, client_steps=3, client_weights='steps')  # client_steps=3
fl.ParallelTraining(2, 0.1, 0.1, client_steps='ab', client_weights='steps')  # client_steps='ab'
fl.ParallelTraining(2, 0.1, 0.1, client_steps=None, client_weights=str)  # client_weights=the class
fl.ParallelTraining(2, 0.1, 0.1, client_steps=None, client_weights='splendid')  # client_weights='splendid'
fl.ParallelTraining(2, 0.1, 0.1, server=fl.Adam, central=fl.Adam(), merger=fl.Adam())  # server=Adam
fl.ParallelTraining(2, 0.1, 0.1, server=0.5, central=fl.Adam(), merger=fl.Adam())  # server=0.5
fl.ParallelTraining(2, 0.1, 0.1, server=fl.Adam(), central='adam', merger=fl.Adam())  # central='adam'
fl.ParallelTraining(2, 0.1, 0.1, server=fl.Adam(), central=None, merger=fl.Adam())  # central=None
fl.ParallelTraining(2, 0.1, 0.1, server=fl.Adam(), central=fl.Adam(), merger=fl.Adam)  # merger=Adam
fl.ParallelTraining(2, 0.1, 0.1, server=fl.Adam(), central=fl.Adam(), merger=0.5)  # merger=0.5
fl.OneWayGradientTransfer('3', 0.1, 1, fl.Full())  # local_steps='3'
fl.OneWayGradientTransfer(None, 0.1, 1, fl.Full())  # local_steps=None
fl.OneWayGradientTransfer(2, float, 1, fl.Full())  # step_size=the class
fl.OneWayGradientTransfer(2, object(), 1, fl.Full())  # step_size=<object
fl.OneWayGradientTransfer(2, 0.1, np.array([0.1, 0.2]), fl.Full())  # server_step_size=array([0.1,
fl.OneWayGradientTransfer(2, 0.1, 0, fl.Full())  # server_step_size=0
fl.OneWayGradientTransfer(2, 0.1, 1, fl.SchemeII)  # participation=SchemeII
fl.OneWayGradientTransfer(2, 0.1, 1, 0.5)  # participation=0.5
fl.OneWayGradientTransfer(2, 0.1, client_steps=(1.5, 2), client_weights='steps', server=fl.Adam())  # client_steps=1.5
fl.OneWayGradientTransfer(2, 0.1, client_steps=(0, 2), client_weights='steps', server=fl.Adam())  # client_steps=0
fl.OneWayGradientTransfer(2, 0.1, client_steps=(1,), client_weights='steps', server=fl.Adam())  # client_steps=(1,)
fl.OneWayGradientTransfer(2, 0.1, client_steps=None, client_weights=3, server=fl.Adam())  # client_weights=3
fl.OneWayGradientTransfer(2, 0.1, client_steps=None, client_weights=None, server=fl.Adam())  # client_weights=None
fl.OneWayGradientTransfer(2, 0.1, client_steps=None, client_weights=True, server=fl.Adam())  # client_weights=True
fl.OneWayGradientTransfer(2, 0.1, client_steps=None, client_weights='steps', server='adam')  # server='adam'
fl.OneWayGradientTransfer(2, 0.1, client_steps=None, client_weights='steps', server=None)  # server=None
fl.OneWayGradientTransfer(2, 0.1, client_steps=None, client_weights='steps', server=fl.Adam)  # server=Adam
fl.TwoWayGradientTransfer(True, 0.1, 0.1, 1, 1)  # local_steps=True
fl.TwoWayGradientTransfer(2, -0.1, 0.1, 1, 1)  # step_size=-0.1
fl.TwoWayGradientTransfer(2, 0.1, nan, 1, 1)  # central_step_size=nan
fl.TwoWayGradientTransfer(2, 0.1, 0.1, inf, 1)  # server_step_size=inf
fl.TwoWayGradientTransfer(2, 0.1, 0.1, 1, 'a tenth')  # merge_step_size='a tenth'
fl.TwoWayGradientTransfer(2, 0.1, 0.1, central_steps='3', participation=fl.Full(), divisor='as printed')  # central_steps='3'
fl.TwoWayGradientTransfer(2, 0.1, 0.1, central_steps=True, participation=fl.Full(), divisor='as printed')  # central_steps=True
fl.TwoWayGradientTransfer(2, 0.1, 0.1, central_steps=1, participation=[], divisor='as printed')  # participation=[]
fl.TwoWayGradientTransfer(2, 0.1, 0.1, central_steps=1, participation='full', divisor='as printed')  # participation='full'
fl.TwoWayGradientTransfer(2, 0.1, 0.1, central_steps=1, participation=fl.Full(), divisor=str)  # divisor=the class
fl.TwoWayGradientTransfer(2, 0.1, 0.1, central_steps=1, participation=fl.Full(), divisor='splendid')  # divisor='splendid'
fl.TwoWayGradientTransfer(2, 0.1, 0.1, initial=3, merge='sum', client_steps=None)  # initial=3
fl.TwoWayGradientTransfer(2, 0.1, 0.1, initial=None, merge='sum', client_steps=None)  # initial=None
fl.TwoWayGradientTransfer(2, 0.1, 0.1, initial='zero', merge=True, client_steps=None)  # merge=True
fl.TwoWayGradientTransfer(2, 0.1, 0.1, initial='zero', merge=str, client_steps=None)  # merge=the class
fl.TwoWayGradientTransfer(2, 0.1, 0.1, initial='zero', merge='sum', client_steps=(None, 2))  # client_steps=None
fl.TwoWayGradientTransfer(2, 0.1, 0.1, initial='zero', merge='sum', client_steps=())  # client_steps=()
fl.TwoWayGradientTransfer(2, 0.1, 0.1, server=0.5, central=fl.GradientStep(), merger=fl.Adam())  # server=0.5
fl.TwoWayGradientTransfer(2, 0.1, 0.1, server=fl.Adam(), central='adam', merger=fl.Adam())  # central='adam'
fl.TwoWayGradientTransfer(2, 0.1, 0.1, server=fl.Adam(), central=fl.GradientStep(), merger=None)  # merger=None
fl.Populations((0, 1), nan, 0.1, 1, True, True)  # local_steps=nan
fl.Populations((0, 1), inf, 0.1, 1, True, True)  # local_steps=inf
fl.Populations((0, 1), 2j, 0.1, 1, True, True)  # local_steps=2j
fl.Populations((0, 1), 2, None, 1, True, True)  # step_size=None
fl.Populations((0, 1), 2, True, 1, True, True)  # step_size=True
fl.Populations((0, 1), 2, 0.1j, 1, True, True)  # step_size=0.1j
fl.Populations((0, 1), 2, 0.1, [0.1], True, True)  # merge_step_size=[0.1]
fl.Populations((0, 1), 2, 0.1, float, True, True)  # merge_step_size=the class
fl.Populations((0, 1), 2, 0.1, object(), True, True)  # merge_step_size=<object
fl.Populations((0, 1), 2, 0.1, 1, 'yes', True)  # transfer='yes'
fl.Populations((0, 1), 2, 0.1, 1, 2, True)  # transfer=2
fl.Populations((0, 1), 2, 0.1, 1, None, True)  # transfer=None
fl.Populations((0, 1), 2, 0.1, 1, True, nan)  # centre=nan
fl.Populations((0, 1), 2, 0.1, 1, True, 1.0)  # centre=1.0
fl.Populations((0, 1), 2, 0.1, 1, True, 'yes')  # centre='yes'
fl.HeavyBall(1)  # momentum=1
fl.HeavyBall(-0.1)  # momentum=-0.1
fl.HeavyBall(nan)  # momentum=nan
fl.HeavyBall('a half')  # momentum='a half'
fl.HeavyBall(None)  # momentum=None
fl.HeavyBall(True)  # momentum=True
fl.Adam(0.5j, 0.9, 0.1, True)  # beta1=0.5j
fl.Adam(float, 0.9, 0.1, True)  # beta1=the class
fl.Adam(1, 0.9, 0.1, True)  # beta1=1
fl.Adam(-0.1, 0.9, 0.1, True)  # beta1=-0.1
fl.Adam(0.9, nan, 0.1, True)  # beta2=nan
fl.Adam(0.9, 'a half', 0.1, True)  # beta2='a half'
fl.Adam(0.9, None, 0.1, True)  # beta2=None
fl.Adam(0.9, True, 0.1, True)  # beta2=True
fl.Adam(0.9, 0.9, np.array([0.1, 0.2]), True)  # epsilon=array([0.1,
fl.Adam(0.9, 0.9, 0, True)  # epsilon=0
fl.Adam(0.9, 0.9, -0.1, True)  # epsilon=-0.1
fl.Adam(0.9, 0.9, nan, True)  # epsilon=nan
fl.Adam(0.9, 0.9, 0.1, 2)  # bias_corrected=2
fl.Adam(0.9, 0.9, 0.1, None)  # bias_corrected=None
fl.Adam(0.9, 0.9, 0.1, nan)  # bias_corrected=nan
fl.Adam(0.9, 0.9, 0.1, 1.0)  # bias_corrected=1.0
fl.SchemeI([2], 'one run')  # K=[2]
fl.SchemeI(int, 'one run')  # K=the class
fl.SchemeI(10**30, 'one run')  # K=1000000000000000000000000000000
fl.SchemeI(0, 'one run')  # K=0
fl.SchemeI(2, 'splendid')  # repeats='splendid'
fl.SchemeI(2, 3)  # repeats=3
fl.SchemeI(2, None)  # repeats=None
fl.SchemeI(2, True)  # repeats=True
fl.SchemeII(-1)  # K=-1
fl.SchemeII(2.5)  # K=2.5
fl.TransformedSchemeII('3')  # K='3'
fl.TransformedSchemeII(None)  # K=None
fl.Original(True)  # K=True
fl.Original(nan)  # K=nan
fl.NormalisedUniform(inf)  # K=inf
fl.NormalisedUniform(2j)  # K=2j
fl.Constant(inf)  # step_size=inf
fl.Constant('a tenth')  # step_size='a tenth'
fl.Constant(None)  # step_size=None
fl.Constant(True)  # step_size=True
fl.Constant(0.1j)  # step_size=0.1j
fl.Harmonic([0.1], 8, 0)  # beta=[0.1]
fl.Harmonic(float, 8, 0)  # beta=the class
fl.Harmonic(object(), 8, 0)  # beta=<object
fl.Harmonic(np.array([0.1, 0.2]), 8, 0)  # beta=array([0.1,
fl.Harmonic(1, nan, 0)  # gamma=nan
fl.Harmonic(1, inf, 0)  # gamma=inf
fl.Harmonic(1, 'a tenth', 0)  # gamma='a tenth'
fl.Harmonic(1, None, 0)  # gamma=None
fl.Harmonic(1, 8, 2.5)  # first=2.5
fl.Harmonic(1, 8, '3')  # first='3'
fl.Harmonic(1, 8, None)  # first=None
fl.Harmonic(1, 8, True)  # first=True
fl.HarmonicPerRound(0, 1)  # beta=0
fl.HarmonicPerRound(-0.1, 1)  # beta=-0.1
fl.HarmonicPerRound(nan, 1)  # beta=nan
fl.HarmonicPerRound(1, inf)  # gamma=inf
fl.HarmonicPerRound(1, 'a tenth')  # gamma='a tenth'
fl.HarmonicPerRound(1, None)  # gamma=None
fl.Annealed(True, 1, 1, True)  # scale=True
fl.Annealed(0.1j, 1, 1, True)  # scale=0.1j
fl.Annealed([0.1], 1, 1, True)  # scale=[0.1]
fl.Annealed(1, float, 1, True)  # offset=the class
fl.Annealed(1, object(), 1, True)  # offset=<object
fl.Annealed(1, np.array([0.1, 0.2]), 1, True)  # offset=array([0.1,
fl.Annealed(1, 1, 'a tenth', True)  # rate='a tenth'
fl.Annealed(1, 1, None, True)  # rate=None
fl.Annealed(1, 1, True, True)  # rate=True
fl.Annealed(1, 1, 1, 'yes')  # per_round='yes'
fl.Annealed(1, 1, 1, 2)  # per_round=2
fl.Annealed(1, 1, 1, None)  # per_round=None
fl.li_main_text(0, 1, 2)  # mu=0
fl.li_main_text(-0.1, 1, 2)  # mu=-0.1
fl.li_main_text(nan, 1, 2)  # mu=nan
fl.li_main_text(inf, 1, 2)  # mu=inf
fl.li_main_text('a tenth', 1, 2)  # mu='a tenth'
fl.li_main_text(None, 1, 2)  # mu=None
fl.li_main_text(0.1, True, 2)  # L=True
fl.li_main_text(0.1, 0.1j, 2)  # L=0.1j
fl.li_main_text(0.1, [0.1], 2)  # L=[0.1]
fl.li_main_text(0.1, float, 2)  # L=the class
fl.li_main_text(0.1, object(), 2)  # L=<object
fl.li_main_text(0.1, np.array([0.1, 0.2]), 2)  # L=array([0.1,
fl.li_main_text(0.1, 1, [2])  # local_steps=[2]
fl.li_main_text(0.1, 1, int)  # local_steps=the class
fl.li_main_text(0.1, 1, 10**30)  # local_steps=1000000000000000000000000000000
fl.li_main_text(0.1, 1, 0)  # local_steps=0
fl.li_main_text(0.1, 1, -1)  # local_steps=-1
fl.li_main_text(0.1, 1, 2.5)  # local_steps=2.5
fl.li_appendix(0, 1, 2, first=1)  # mu=0
fl.li_appendix(-0.1, 1, 2, first=1)  # mu=-0.1
fl.li_appendix(nan, 1, 2, first=1)  # mu=nan
fl.li_appendix(inf, 1, 2, first=1)  # mu=inf
fl.li_appendix(0.1, 'a tenth', 2, first=1)  # L='a tenth'
fl.li_appendix(0.1, None, 2, first=1)  # L=None
fl.li_appendix(0.1, True, 2, first=1)  # L=True
fl.li_appendix(0.1, 0.1j, 2, first=1)  # L=0.1j
fl.li_appendix(0.1, 1, '3', first=1)  # local_steps='3'
fl.li_appendix(0.1, 1, None, first=1)  # local_steps=None
fl.li_appendix(0.1, 1, True, first=1)  # local_steps=True
fl.li_appendix(0.1, 1, nan, first=1)  # local_steps=nan
fl.li_appendix(0.1, 1, 2, first=-1)  # first=-1
fl.li_appendix(0.1, 1, 2, first=2.5)  # first=2.5
fl.li_appendix(0.1, 1, 2, first='3')  # first='3'
fl.li_appendix(0.1, 1, 2, first=None)  # first=None
fl.li_main_text(2, 1, 5)  # mu=2 exceeds L=1
fl.li_main_text(0, 1, 5)  # mu=0
fl.li_appendix(2.0, 1.0, 5)  # mu=2.0 exceeds L=1.0
fl.li_appendix(F(1, 10), 1, 0)  # local_steps=0
fl.li_appendix(0.0, 1.0, 5)  # mu=0.0
fl.Harmonic(1, -3, 2)  # gamma + first=-1
fl.FedAvg(2, fl.Constant)  # step_size=the class Constant
fl.FedAvg(2, 0.1, participation="Scheme II")  # participation='Scheme II'
fl.FedAvg(2, 0.1, participation=10)  # participation=10
fl.Scaffold(2, fl.Harmonic(1, 8), option="II")  # step_size=Harmonic
fl.TwoWayGradientTransfer(2, fl.Harmonic(1, 8), 0.1)  # step_size=Harmonic
fl.TwoWayGradientTransfer(2, 0.1, 0.1, central=fl.HeavyBall(0.5))  # central=HeavyBall
fl.ParallelRestartedSGD(2, 0.1, fl.SchemeII(2))  # participation=SchemeII
fl.Populations((0, 2), 2, 0.1)  # groups=(0, 2)
fl.Populations((True, False), 2, 0.1)  # groups=(True, False)
fl.Populations((0, 0.5), 2, 0.1)  # groups=(0, 0.5)
fl.Populations("ab", 2, 0.1)  # groups='ab'
fl.Populations((0, 1), 2, fl.Harmonic(1, 8))  # step_size=Harmonic
fl.MimeLite(0, 0.1, 0.5)  # local_steps=0
fl.MimeLite(2, -0.1, 0.5)  # step_size=-0.1
fl.MimeLite(2, 0.1, 1)  # momentum=1
fl.MimeLite(2, 0.1, nan)  # momentum=nan
fl.MimeLite(2, 0.1, 'a half')  # momentum='a half'
fl.MimeLite(2, 0.1, None)  # momentum=None
fl.MimeLite(2, 0.1, 0.5, 'full')  # participation='full'
fl.MimeLite(2, 0.1, 0.5, fl.Full(), 0)  # batches=0
fl.MimeLite(2, 0.1, 0.5, fl.Full(), 2.5)  # batches=2.5
fl.GivenElasticity((1, -0.5))  # zeta[1]=-0.5
fl.GivenElasticity((1, nan))  # zeta[1]=nan
fl.GivenElasticity(())  # zeta is empty
fl.GivenElasticity('ab')  # zeta='ab'
fl.GivenElasticity(0.5)  # zeta=0.5
fl.GivenElasticity(None)  # zeta=None
fl.GivenElasticity((1, 'x'))  # zeta[1]='x'
fl.GivenElasticity(((1, 2), (3, 4)))  # zeta[0]=(1, 2)
fl.SensitivityElasticity(-0.5)  # tau=-0.5
fl.SensitivityElasticity(nan)  # tau=nan
fl.SensitivityElasticity('one')  # tau='one'
fl.SensitivityElasticity(None)  # tau=None
fl.SensitivityElasticity(0.5, 0)  # batches=0
fl.SensitivityElasticity(0.5, 1.5)  # batches=1.5
fl.SensitivityElasticity(0.5, 1, 1)  # decay=1
fl.SensitivityElasticity(0.5, 1, 'a half')  # decay='a half'
fl.ElasticFedAvgM(0, 0.1, fl.GivenElasticity((1, 1)))  # local_steps=0
fl.ElasticFedAvgM(2, 'x', fl.GivenElasticity((1, 1)))  # step_size='x'
fl.ElasticFedAvgM(2, 0.1, 1.0)  # elasticity=1.0
fl.ElasticFedAvgM(2, 0.1, fl.GivenElasticity)  # elasticity=the class GivenElasticity
fl.ElasticFedAvgM(2, 0.1, fl.GivenElasticity((1, 1)), 0)  # server_step_size=0
fl.ElasticFedAvgM(2, 0.1, fl.GivenElasticity((1, 1)), 1, 1)  # momentum=1
fl.ElasticFedAvgM(2, 0.1, fl.GivenElasticity((1, 1)), 1, nan)  # momentum=nan
fl.ElasticFedAvgM(2, 0.1, fl.GivenElasticity((1, 1)), 1, 0, 3)  # participation=3
fl.ElasticFedProx(2, 0.1, -1, fl.GivenElasticity((1, 1)))  # prox=-1
fl.ElasticFedProx(2, 0.1, 1, None)  # elasticity=None
fl.simulate(quad, fl.ElasticFedProx(2, 0.1, 1, fl.GivenElasticity((1, 1, 1))), rounds=1)  # scale got 3 numbers
fl.moments(quad, fl.ElasticFedProx(2, 0.1, 1, fl.GivenElasticity((1, 1, 1))), rounds=1)  # scale got 3 numbers
"""
ROWS = [tuple(row.split("  # ")) for row in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("call", "words"), ROWS)
def test_it_is_refused_in_words(call: str, words: str, refused: Callable[[str, str], None]) -> None:
    refused(call, words)
